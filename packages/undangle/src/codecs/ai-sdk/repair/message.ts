import { isRecord } from "#core";
import type { AssistantEntry, Journal, JsonObject, Policy, Source, Spot } from "#core";

import type { Outlook } from "../../spans.ts";
import type { Requests } from "./approvals.ts";

/** The context for reading one list of messages. */
export interface Context {
  readonly list: readonly unknown[];
  readonly policy: Policy;
  readonly journal: Journal;
  /** Looks up the role of the next message. */
  readonly outlook: Outlook;
  /** The approvals and provider tools of the list, read on demand. */
  readonly requests: () => Requests;
  /** Other parts among the results of a turn, mostly approval responses. */
  readonly extras: Map<AssistantEntry, Extra[]>;
}

/** A part of a tool message that is not the result of a call. */
export interface Extra {
  readonly wire: unknown;
  readonly source: Source;
  readonly place: number;
}

/** The parts of a message. Undefined for plain text and for values that are not messages. */
export function partsOf(message: unknown): readonly unknown[] | undefined {
  const content = isRecord(message) ? message["content"] : undefined;
  return Array.isArray(content) ? (content as readonly unknown[]) : undefined; // an array with unchecked entries
}

export const isType = (part: unknown, type: string): part is JsonObject => isRecord(part) && part["type"] === type;

/** True for a call that the application runs, not the provider. */
export const isClientCall = (part: unknown): part is JsonObject =>
  isType(part, "tool-call") && part["providerExecuted"] !== true;

export const isTool = (message: unknown): boolean =>
  isRecord(message) && message["role"] === "tool" && Array.isArray(message["content"]);

/** An id or a name. "" if it is missing. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The position of a part in a message of the input. */
export const partAt = (source: Source, place: number, tail = ""): Spot => ({
  source,
  suffix: `.content[${place}]${tail}`,
  part: { place, tail },
});
