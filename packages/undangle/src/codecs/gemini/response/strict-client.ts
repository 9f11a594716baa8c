import { cleanName, isRecord } from "#core";
import type { JsonObject } from "#core";

import { isId } from "../../stream/response-writer.ts";
import type { ClientTurn } from "../../stream/response-writer.ts";
import { putAt } from "../stream/partial-arguments.ts";
import { responseIn, candidatesIn, indexOf, isCall, isPlainResponse, partsIn } from "./candidates.ts";

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
export interface PlainReader {
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
