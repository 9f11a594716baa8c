import { createHash } from "node:crypto";

import { fieldsIn, isRecord } from "../record.ts";
import type { ChatMessage } from "./chat-request.ts";
import { textOf } from "./message-text.ts";

/** Fingerprints of a conversation, as its client sees it. */
export interface Prints {
  /** Of all messages. */
  readonly whole: string;
  /** Without calls, results and the last assistant text. Some clients store only texts. */
  readonly plain: string;
}

/**
 * The fingerprints of messages. Clients change a history before they send it again: they trim and merge messages, drop
 * texts before calls, generate new ids and reorder results. None of this changes a fingerprint; a different word does.
 * Instructions are excluded, because clients put the time into them.
 */
export function printsOf(scope: readonly string[], messages: readonly ChatMessage[]): Prints {
  const items = merged(inCallOrder(messages).flatMap(itemsOf));
  const whole = items.filter(({ kind }, i) => kind !== "assistant" || items[i + 1]?.kind !== "call");
  const plain = merged(items.filter(({ kind }) => kind === "user" || kind === "assistant"));
  while (plain.at(-1)?.kind === "assistant") plain.pop();
  return { whole: printOf(scope, whole), plain: printOf(scope, plain) };
}

interface Item {
  readonly kind: "user" | "assistant" | "call" | "result";
  readonly text: string;
}

/** The messages, with the results after an assistant message in the order of its calls. */
function inCallOrder(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const all: ChatMessage[] = [];
  let ids: readonly unknown[] = [];
  let results: ChatMessage[] = [];
  const place = ({ tool_call_id: id }: ChatMessage): number => (ids.includes(id) ? ids.indexOf(id) : ids.length);
  const flush = (): void => {
    all.push(...results.toSorted((one, other) => place(one) - place(other)));
    results = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      results.push(message);
      continue;
    }
    flush();
    all.push(message);
    const { tool_calls: calls } = message;
    if (Array.isArray(calls)) ids = calls.map((call: unknown) => fieldsIn(call)["id"]);
  }
  flush();
  return all;
}

function itemsOf({ role, content, tool_calls: calls }: ChatMessage): readonly Item[] {
  if (role === "system" || role === "developer") return [];
  if (role === "tool" || role === "function") return [{ kind: "result", text: lettersOf(content) }];
  const text = lettersOf(content);
  const textItems: readonly Item[] = text === "" ? [] : [{ kind: role, text }];
  const made = role === "assistant" && Array.isArray(calls) ? calls.map(callOf) : [];
  return [...textItems, ...made];
}

/** Merges adjacent messages of the user, and of the assistant. */
function merged(items: readonly Item[]): Item[] {
  const all: Item[] = [];
  for (const item of items) {
    const last = all.at(-1);
    const isMore = last?.kind === item.kind && (item.kind === "user" || item.kind === "assistant");
    if (isMore) all[all.length - 1] = { kind: item.kind, text: last.text + item.text };
    else all.push(item);
  }
  return all;
}

/** The text of a content without white space, and placeholders for its media. */
function lettersOf(content: unknown): string {
  const media = Array.isArray(content) ? content.filter(isMedia).map((part) => digest(JSON.stringify(part))) : [];
  return bare(textOf(content)) + media.map((each) => `\u0000${each}`).join("");
}

/** A text without white space, in Unicode NFC. */
export const bare = (text: string): string => text.normalize("NFC").replaceAll(/\s+/gu, "");

const isMedia = (part: unknown): boolean => isRecord(part) && typeof part["text"] !== "string";

function callOf(call: unknown): Item {
  const made = fieldsIn(fieldsIn(call)["function"]);
  return { kind: "call", text: JSON.stringify([made["name"], argumentsOf(made["arguments"])]) };
}

/** Arguments, parsed if possible, so that formatting does not matter. */
export function argumentsOf(raw: unknown): unknown {
  if (typeof raw !== "string") return ordered(raw);
  try {
    return ordered(JSON.parse(raw));
  } catch {
    return bare(raw); // not JSON, or nested too deeply: the text itself is compared
  }
}

/** Limits the recursion. It is a number, because the stack that is left differs, and fingerprints must not. */
const deepest = 500;

function ordered(value: unknown, depth = 0): unknown {
  if (depth > deepest) throw new RangeError("The value is nested too deeply to be compared.");
  if (Array.isArray(value)) return value.map((each) => ordered(each, depth + 1));
  if (!isRecord(value)) return value;
  const names = Object.keys(value).toSorted();
  return names.map((name) => [name, ordered(value[name], depth + 1)]);
}

const printOf = (scope: readonly string[], items: readonly Item[]): string =>
  digest(JSON.stringify([scope, items.map(({ kind, text }) => [kind, text])]));

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);
