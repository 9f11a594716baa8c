import { cleanName, isRecord } from "#core";
import type { JsonObject } from "#core";

import { isId } from "../../stream/response-writer.ts";
import type { ClientTurn, TextDelta } from "../../stream/response-writer.ts";
import { putAt } from "../stream/decode.ts";

interface PlainCall {
  /** Blank if there is none. */
  readonly id: string;
  readonly name: string;
  args: Record<string, unknown>;
  /** True if more arguments follow. */
  isOpen: boolean;
}

interface Plain {
  readonly calls: PlainCall[];
  /** The calls that have ended, as clients read them. Each is written once. */
  readonly written: ClientTurn["calls"][number][];
  readonly ids: Set<string>;
  isEnded: boolean;
}

/** Reads the calls of responses as clients do, and stops at the first deviation from Gemini's form. */
interface PlainReader {
  readonly take: (frame: JsonObject) => void;
  readonly turns: () => readonly ClientTurn[] | undefined;
  readonly hasTripped: () => boolean;
}

/** @param isPieced true if arguments may arrive in deltas. Clients that did not request this do not join them. */
export function createPlainReader(isPieced: boolean): PlainReader {
  const turns: Plain[] = [];
  let hasTripped = false;
  return {
    take(frame) {
      if (!hasTripped) hasTripped = !takeResponse(responseIn(frame), turns, isPieced);
    },
    hasTripped: () => hasTripped,
    turns() {
      if (hasTripped || turns.some(({ calls }) => calls.at(-1)?.isOpen === true)) return undefined;
      return turns.map((turn) => ({ calls: writtenCalls(turn), isEnded: turn.isEnded }));
    },
  };
}

/** False if a client would fail. */
function takeResponse(response: JsonObject, turns: Plain[], isPieced: boolean): boolean {
  if (!isPlainResponse(response)) return false;
  for (const candidate of candidatesIn(response)) {
    const turn = (turns[indexOf(candidate)] ??= { calls: [], written: [], ids: new Set(), isEnded: false });
    const calls = partsIn(candidate).filter(isCall);
    const { finishReason: finish } = candidate;
    if (turn.isEnded && (calls.length > 0 || finish !== undefined)) return false;
    if (finish !== undefined && finish !== "STOP") return false;
    if (!calls.every((part) => addCall(part["functionCall"], turn))) return false;
    if (
      !isPieced &&
      calls.some(({ functionCall: call }) => isRecord(call) && ("partialArgs" in call || "willContinue" in call))
    )
      return false;
    turn.isEnded ||= finish === "STOP";
  }
  return true;
}

function writtenCalls({ calls, written }: Plain): ClientTurn["calls"] {
  for (const { id, name, args } of calls.slice(written.length))
    written.push({ id, name, arguments: JSON.stringify(args) });
  return written.slice();
}

/** A call with a name is new. Vertex may send more of its arguments later. */
function addCall(wire: unknown, { calls, written, ids }: Plain): boolean {
  if (!isRecord(wire) || "will_continue" in wire || "partial_args" in wire) return false;
  const { name, args = {}, partialArgs: chunks = [], willContinue = false } = wire;
  if (!isRecord(args) || !Array.isArray(chunks) || typeof willContinue !== "boolean") return false;
  const last = calls.at(-1);
  const call = name === undefined ? last : newCall(wire, ids);
  if (call === undefined || (last?.isOpen === true) !== (call === last)) return false;
  if (call !== last) calls.push(call);
  if (call.id !== "") ids.add(call.id);
  call.args = { ...call.args, ...args };
  written.length = Math.min(written.length, calls.length - 1);
  call.isOpen = willContinue;
  return chunks.every((delta) => isRecord(delta) && addPart(delta, call.args));
}

/** Undefined for a call that clients would not recognize, or would confuse with another. */
function newCall({ id, name }: JsonObject, ids: ReadonlySet<string>): PlainCall | undefined {
  if (typeof name !== "string" || name === "" || cleanName(name, undefined) !== name) return undefined;
  if (id !== undefined && !isId(id)) return undefined;
  if (id !== undefined && ids.has(id)) return undefined;
  return { id: id ?? "", name, args: {}, isOpen: false };
}

function addPart(delta: JsonObject, args: Record<string, unknown>): boolean {
  const { jsonPath: path } = delta;
  const key = ["stringValue", "numberValue", "boolValue", "nullValue"].find((each) => delta[each] !== undefined);
  if (typeof path !== "string") return false;
  return key === undefined || putAt(args, path, key === "nullValue" ? null : delta[key]);
}

/** The response in a frame, without the wrapper of Code Assist. */
export const responseIn = (value: JsonObject): JsonObject => (isRecord(value["response"]) ? value["response"] : value);

/** A copy of a frame with another response. */
export const withResponse = (like: JsonObject, response: JsonObject): JsonObject =>
  isRecord(like["response"]) ? { ...like, response: response } : response;

export const candidatesIn = ({ candidates }: JsonObject): readonly JsonObject[] => listOf(candidates);

export function partsIn({ content }: JsonObject): readonly JsonObject[] {
  return isRecord(content) ? listOf(content["parts"]) : [];
}

const listOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isRecord) : []);

export const isCall = (part: JsonObject): boolean => part["functionCall"] !== undefined;

/** A candidate without an index is the only one. */
export const indexOf = ({ index }: JsonObject): number => (typeof index === "number" ? index : 0);

/** True for a response in the form that every client expects, apart from its calls. */
export function isPlainResponse(response: JsonObject): boolean {
  const { candidates = [], usageMetadata: usage = {} } = response;
  if (!isSpelt(response) || response["error"] !== undefined || !isRecord(usage)) return false;
  return Array.isArray(candidates) && candidates.every(isPlainCandidate);
}

function isPlainCandidate(candidate: unknown): boolean {
  if (!isRecord(candidate) || !isSpelt(candidate)) return false;
  const { index = 0, content = {}, finishReason: finish = "STOP" } = candidate;
  if (!Number.isInteger(index) || Number(index) < 0 || !isRecord(content)) return false;
  const { parts = [] } = content;
  if (typeof finish !== "string" || !/^[A-Z_]+$/u.test(finish)) return false;
  return Array.isArray(parts) && parts.every(isPlainPart);
}

/** Text and a call must be separate parts, because clients read only one of them. */
function isPlainPart(part: unknown): boolean {
  if (!isRecord(part) || !isSpelt(part)) return false;
  const { text = "" } = part;
  return typeof text === "string" && (text === "" || !isCall(part));
}

/** Keys that bridges write in snake case, which no client reads. */
const misspelt: ReadonlySet<string> = new Set([
  "finish_message",
  "finish_reason",
  "function_call",
  "model_version",
  "prompt_feedback",
  "response_id",
  "thought_signature",
  "usage_metadata",
]);

const isSpelt = (wire: JsonObject): boolean => Object.keys(wire).every((key) => !misspelt.has(key));

/** The text and the reasoning of a response. */
export function textsIn(response: JsonObject): readonly TextDelta[] {
  return candidatesIn(response).flatMap((candidate) =>
    partsIn(candidate).flatMap(({ text, thought }): readonly TextDelta[] => {
      if (typeof text !== "string" || text === "") return [];
      return [{ type: thought === true ? "reasoning" : "text", choice: indexOf(candidate), text }];
    }),
  );
}

/** A response with the key spelling of the API; list entries that are not objects are dropped. */
export function spelt(response: JsonObject): JsonObject {
  const { candidates, usageMetadata: usage, ...rest } = camel(response);
  return {
    ...rest,
    ...(Array.isArray(candidates) && { candidates: listOf(candidates).map(speltCandidate) }),
    ...(isRecord(usage) && { usageMetadata: camel(usage) }),
  };
}

function speltCandidate(given: JsonObject): JsonObject {
  const candidate = camel(given);
  if (!isRecord(candidate["content"])) return candidate;
  return { ...candidate, content: { role: "model", ...candidate["content"], parts: partsIn(candidate).map(camel) } };
}

const camel = (wire: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(wire).map(([key, value]) => [
      key.replace(/(?<=[a-z])_([a-z])/gu, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
