import { isRecord } from "#core";
import type { JsonObject, Profile } from "#core";

import type { CompleteConversation, Conversation, Message, Text } from "./conversation.ts";
import type { Losses } from "./losses.ts";

/** A history in one format. */
export interface Document {
  readonly list: readonly unknown[];
  readonly body: JsonObject | undefined;
}

/** The target of a history. */
export interface Destination {
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** The host that receives it, if known. It accepts the signatures that it issued. */
  readonly server?: string | undefined;
}

/** An output message, and the path of its origin. */
export interface Written {
  readonly wire: JsonObject;
  readonly path: string;
}

/** A history in another format: its messages and the body around them. */
export interface Draft {
  readonly messages: readonly Written[];
  readonly body: JsonObject | undefined;
}

/** The reader and writer of one format. */
export interface Converter {
  readonly listKey: string;
  /** The name rules for declared tools, if they are stricter than those for histories. */
  readonly toolNames?: Profile["names"];
  /** True if messages may be between a call and its result. */
  readonly isLoose?: boolean;
  /** True if system text belongs in the body, not in messages. */
  readonly hasSystemField?: boolean;
  read(document: Document, losses: Losses): Conversation;
  write(conversation: CompleteConversation, destination: Destination, losses: Losses): Draft;
}

export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : [];

export const recordOf = (value: unknown): JsonObject => (isRecord(value) ? value : {});

export const stringOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export const textPart = (text: string, path: string): Text => ({ type: "text", path, text });

/** A document that contains only text. Anthropic has a document type for it; all other formats use plain text. */
export function documentPart(
  text: string,
  { path, title }: { readonly path: string; readonly title: string | undefined },
  losses: Losses,
): Text {
  if (losses.to !== "anthropic") losses.add(path, "a text document", "it becomes plain text");
  return { ...textPart(text, path), document: { title } };
}

/** A value of one format as text: its own text if any, otherwise its JSON. */
export function unknownPart(part: unknown, path: string, losses: Losses, what = "a part of a type"): Text {
  losses.add(path, `${what} that only its format knows`, `${losses.to} has no such part; its text replaces it`);
  return textPart(wordsOf(part), path);
}

/** True for an object with a field of a message. */
export const isMessage = (wire: unknown): wire is JsonObject =>
  isRecord(wire) && ["role", "type", "content", "parts", "tool_calls"].some((key) => wire[key] !== undefined);

/** A value among the messages that is not a message, as a user message. Empty values are dropped. */
export function readStray(wire: unknown, path: string, losses: Losses): readonly Message[] {
  const isEmpty = wire === undefined || wire === null || wire === "" || (Array.isArray(wire) && wire.length === 0);
  if (isEmpty) return [];
  return [{ role: "user", path, parts: [unknownPart(wire, path, losses, "a message")], name: undefined }];
}

/** The text of any value. */
export function wordsOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (isRecord(value) && typeof value["text"] === "string") return value["text"];
  return JSON.stringify(value, withoutSecrets) ?? "";
}

/** Omits encrypted data, which other providers cannot read. */
function withoutSecrets(key: string, value: unknown): unknown {
  return /encrypted|signature/i.test(key) ? undefined : value;
}

/** Removes keys without a value. */
export function compact(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
