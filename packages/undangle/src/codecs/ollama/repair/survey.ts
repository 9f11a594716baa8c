import { everyEntry, isRecord } from "#core";

import { wholeList } from "../../codec.ts";
import type { Range, Request } from "../../codec.ts";
import { nameOfResult } from "./message.ts";
import type { Message } from "./message.ts";
import { resultsOf } from "./open-turn.ts";
import type { GoodCall } from "./open-turn.ts";

/**
 * Finds messages that may be invalid, with one pass over the list. It knows only the common shapes and leaves anything
 * unusual to the rules. So a wrong "healthy" is impossible, and a wrong "suspect" costs only time.
 */
export function surveyOllama({ list, body }: Request): readonly Range[] {
  // A request without messages loads a model.
  if (list.length === 0) return typeof body?.["model"] === "string" ? [] : wholeList(list);
  const suspects: Range[] = [];
  const unnamed: Range[] = [];
  for (let at = 0; at < list.length;) {
    const message = list[at];
    if (!isRecord(message) || !isPlain(message)) return wholeList(list);
    const end = message["role"] === "assistant" ? turnEnd(list, at) : at + 1;
    const isMisplaced = message["role"] === "tool" || (message["role"] !== "assistant" && makesCalls(message));
    const state = isMisplaced ? "suspect" : stateOf(list, at, end);
    if (state !== "healthy") suspects.push({ start: at, end, isOpen: state === "open" });
    else if (end > at + 1 && !areNamed(list, at + 1, end)) unnamed.push({ start: at, end, isOpen: false });
    at = end;
  }
  // A result without an identity gives way to one with a name that comes elsewhere.
  if (unnamed.length === 0 || suspects.every(({ isOpen }) => isOpen)) return suspects;
  return [...suspects, ...unnamed].sort((a, b) => a.start - b.start);
}

/** True for a message that is valid except possibly for its calls. */
function isPlain({ role, content, images, thinking, tool_name, tool_call_id }: Message): boolean {
  if (role !== "user" && role !== "assistant" && role !== "tool" && role !== "system") return false;
  if (!isText(content) || !isText(thinking) || !isText(tool_name) || !isText(tool_call_id)) return false;
  return images === undefined || (Array.isArray(images) && everyEntry(images, isBytes));
}

const isText = (value: unknown): boolean => typeof value === "string" || value === undefined || value === null;

const isBytes = (image: unknown): boolean => typeof image === "string" && !image.startsWith("data:");

const makesCalls = ({ tool_calls: calls }: Message): boolean => calls !== undefined && calls !== null;

/** The index after the results of an assistant message. */
function turnEnd(list: readonly unknown[], at: number): number {
  const { tool_calls } = list[at] as Message; // the caller has checked that it is an object
  let end = at + 1;
  if (Array.isArray(tool_calls) && tool_calls.length > 0) while (isResult(list[end])) end++;
  return end;
}

const isResult = (message: unknown): boolean => isRecord(message) && message["role"] === "tool" && isPlain(message);

function areNamed(list: readonly unknown[], start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (nameOfResult(list[i] as Message) === "") return false; // checked by the caller
  return true;
}

/** The state of a message or a turn: valid if its results match its calls. */
function stateOf(list: readonly unknown[], at: number, end: number): "healthy" | "open" | "suspect" {
  const { tool_calls: calls } = list[at] as Message; // the caller has checked that it is an object
  if (calls === undefined || calls === null) return "healthy";
  if (!Array.isArray(calls) || !areGood(calls)) return "suspect";
  const missing = calls.length - (end - at - 1);
  if (missing === 0) return answersInOrder(list, at, calls) ? "healthy" : "suspect";
  return missing > 0 && resultsOf(calls, list, [at + 1, end]) !== undefined ? "open" : "suspect";
}

function areGood(calls: readonly unknown[]): calls is readonly GoodCall[] {
  if (calls.length > 64) return false;
  for (let c = 0; c < calls.length; c++) {
    const call = calls[c];
    const called = isRecord(call) ? call["function"] : undefined;
    if (!isRecord(call) || !isRecord(called) || !isRecord(called["arguments"])) return false;
    const { id } = call;
    if (typeof called["name"] !== "string" || called["name"] === "" || !isText(id)) return false;
    if (typeof id !== "string") continue;
    if (id.trim() === "") return false;
    for (let other = 0; other < c; other++) if ((calls[other] as GoodCall).id === id) return false; // checked
  }
  return true;
}

/** True if every result is in the position of its call. A result without an identity may be. */
function answersInOrder(list: readonly unknown[], at: number, calls: readonly GoodCall[]): boolean {
  return calls.every(({ id, function: { name } }, c) => {
    const result = list[at + 1 + c] as Message; // checked too
    const given = result["tool_call_id"];
    if (typeof given === "string" ? given !== id : typeof id === "string") return false;
    const said = nameOfResult(result);
    return said === name || said === "";
  });
}
