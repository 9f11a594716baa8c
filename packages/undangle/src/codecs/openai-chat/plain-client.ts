import { isRecord } from "#core";

import type { PlainTurn, Wire } from "../stream/cleaner.ts";

/** Adds up the deltas as the SDKs do, and gives up at the first one that is not as OpenAI sends it. */
export interface PlainClient {
  readonly take: (chunk: Wire, isFirst: boolean) => void;
  /** The last chunk came again with more arguments. */
  readonly again: (text: string) => void;
  /** A chunk came that is none of its business. */
  readonly skip: () => void;
  readonly turns: () => readonly PlainTurn[] | undefined;
  readonly hasTripped: () => boolean;
  /** How many calls each choice has. */
  readonly counts: () => readonly number[];
}

interface PlainCall {
  readonly id: string;
  readonly name: string;
  arguments: string;
}

interface Plain {
  readonly calls: PlainCall[];
  isEnded: boolean;
}

/** `isSingle`: one answer was asked for, and has to come under the first index. */
export function createPlainClient({ isSingle }: { readonly isSingle: boolean }): PlainClient {
  const turns: Plain[] = [];
  let last: PlainCall | undefined; // of the last chunk
  let hasTripped = false;

  const takeAll = (chunk: Wire, isFirst: boolean): boolean => {
    if (!isSoundChunk(chunk, isFirst) || (isSingle && !isOfFirst(chunk))) return false;
    for (const { index, delta, finish_reason: finish } of listOf(chunk["choices"])) {
      const turn = (turns[Number(index)] ??= { calls: [], isEnded: false });
      const deltas = (delta as Wire)["tool_calls"] ?? []; // it is sound
      if (turn.isEnded || !Array.isArray(deltas)) return false;
      for (const each of deltas) {
        last = addDelta(each, turn.calls);
        if (last === undefined) return false;
      }
      turn.isEnded = finish === (turn.calls.length > 0 ? "tool_calls" : "stop");
      if (typeof finish === "string" && !turn.isEnded) return false;
    }
    return true;
  };

  return {
    take(chunk, isFirst) {
      last = undefined;
      if (!hasTripped) hasTripped = !takeAll(chunk, isFirst);
    },
    again(text) {
      if (last !== undefined) last.arguments += text;
    },
    skip() {
      last = undefined;
    },
    hasTripped: () => hasTripped,
    counts: () => turns.map(({ calls }) => calls.length),
    turns() {
      // Choices that never came leave holes.
      if (hasTripped || Array.from(turns).some((turn) => turn === undefined)) return undefined;
      return turns.map(({ calls, isEnded }) => ({ calls: calls.map((call) => ({ ...call })), isEnded }));
    },
  };
}

/** True for a chunk that speaks of no choice but the first. */
export const isOfFirst = ({ choices }: Wire): boolean => listOf(choices).every(({ index }) => index === 0);

/** The call that a delta begins or goes on with; undefined where a client would trip over it. */
export function addDelta(wire: unknown, calls: PlainCall[]): PlainCall | undefined {
  if (!isRecord(wire) || !isRecord(wire["function"])) return undefined;
  const { index, id, type } = wire;
  if (!isIndex(index)) return undefined;
  const { name, arguments: text } = wire["function"];
  const known = calls[index];
  if (text !== undefined && typeof text !== "string") return undefined;
  if (known === undefined) {
    if (index !== calls.length || type !== "function" || typeof name !== "string" || name === "") return undefined;
    if (typeof id !== "string" || id === "" || calls.some((call) => call.id === id)) return undefined;
    const call = { id, name, arguments: text ?? "" };
    calls.push(call);
    return call;
  }
  if ((id ?? known.id) !== known.id || (name !== undefined && name !== null)) return undefined;
  known.arguments += text ?? "";
  return known;
}

/** A chunk in which every client finds what it looks for. */
export function isSoundChunk({ choices, usage, error }: Wire, isFirst: boolean): boolean {
  if (!Array.isArray(choices) || (usage !== undefined && usage !== null && !isRecord(usage))) return false;
  if (isFirst && choices.length > 0 && !choices.every(hasRole)) return false;
  return error === undefined && choices.every(isSoundChoice);
}

const hasRole = (choice: unknown): boolean =>
  isRecord(choice) && isRecord(choice["delta"]) && choice["delta"]["role"] === "assistant";

function isSoundChoice(choice: unknown): boolean {
  if (!isRecord(choice) || !isIndex(choice["index"])) return false;
  const { delta, finish_reason: finish } = choice;
  if (!isRecord(delta)) return false;
  if (finish !== undefined && finish !== null && (typeof finish !== "string" || !finishes.has(finish))) return false;
  return textKeys.every((key) => isTextOrNone(delta[key])) && delta["function_call"] === undefined;
}

const textKeys = ["content", "reasoning_content", "reasoning", "refusal", "role"];
const finishes: ReadonlySet<string> = new Set(["stop", "length", "tool_calls", "content_filter"]);

export const isTextOrNone = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === "string";
const isIndex = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

export const listOf = (value: unknown): readonly Wire[] => (Array.isArray(value) ? value.filter(isRecord) : []);
