import type { AssembledStream } from "#codecs";
import { createAssembly, isRecord, listen } from "#core";
import type { AssembledCall, AssembledTurn, StreamPart, TurnPart } from "#core";

import { piecesOf } from "./scripted-turn.ts";
import type { Turn } from "./scripted-turn.ts";

/**
 * A turn without bytes, which reads like a decoded chat stream. Undefined for a turn that the decoder would have to
 * repair or complete.
 */
export function directStream(turn: Turn, knownIds: ReadonlySet<string>): AssembledStream | undefined {
  if (turn.finish !== (turn.calls.length > 0 ? "tool_calls" : "stop")) return undefined;
  const calls = callsOf(turn, knownIds);
  if (calls === undefined) return undefined;
  const whole = wholeTurn(turn, calls);
  let parts: readonly StreamPart[] | undefined;
  let next = 0;
  return {
    turn() {
      parts ??= []; // only for readers of the stream
      return Promise.resolve(whole);
    },
    turns() {
      parts ??= [];
      return Promise.resolve([whole]);
    },
    [Symbol.asyncIterator]: (): AsyncIterator<StreamPart, undefined> => ({
      next() {
        parts ??= partsOf(turn, whole);
        const value = parts[next++];
        return Promise.resolve(value === undefined ? { done: true, value } : { done: false, value });
      },
      return() {
        parts = [];
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
}

/** The calls as they would be assembled. Undefined if the decoder would change one of them. */
function callsOf({ calls }: Turn, knownIds: ReadonlySet<string>): readonly AssembledCall[] | undefined {
  const assembled: AssembledCall[] = [];
  for (const { id, name, arguments: args, raw, isRaw } of calls) {
    const isTaken = knownIds.has(id) || assembled.some((call) => call.id === id);
    if (isRaw || isTaken || id === "null" || id.trim() === "" || !/^[\w-]+$/.test(name) || !isRecord(args))
      return undefined;
    // A copy, like everything that comes from a wire.
    const copy = JSON.parse(raw) as AssembledCall["arguments"]; // serialized from an object
    assembled.push({ id, name, arguments: copy, raw, state: "ready", idGenerated: false });
  }
  return assembled;
}

function wholeTurn({ text, reasoning, finish, usage }: Turn, calls: readonly AssembledCall[]): AssembledTurn {
  const parts: TurnPart[] = [];
  if (reasoning !== "") parts.push({ type: "reasoning", text: reasoning });
  if (text !== "") parts.push({ type: "text", text });
  for (const call of calls) parts.push({ type: "call", call });
  return { text, reasoning, calls, parts, finish, complete: true, anomalies: [], usage };
}

function partsOf({ text, reasoning }: Turn, turn: AssembledTurn): readonly StreamPart[] {
  const choice = 0;
  const parts: StreamPart[] = [];
  for (const piece of piecesOf(reasoning)) parts.push({ type: "reasoning-delta", choice, text: piece });
  for (const piece of piecesOf(text)) parts.push({ type: "text-delta", choice, text: piece });
  turn.calls.forEach(({ id, name, raw }, call) => {
    parts.push({ type: "call-start", choice, call, id, name });
    let end = 0;
    for (const piece of piecesOf(raw)) {
      end += piece.length;
      const upTo = end;
      parts.push({ type: "call-delta", choice, call, text: piece, preview: () => previewOf(raw.slice(0, upTo)) });
    }
  });
  turn.calls.forEach((result, call) => parts.push({ type: "call-end", choice, call, result }));
  parts.push({ type: "finish", choice, turn });
  return parts;
}

/** A preview of partial arguments, computed on demand. */
function previewOf(text: string): unknown {
  const assembly = createAssembly({ tools: undefined, knownIds: new Set(), lenient: false });
  let value: unknown;
  listen(assembly, (part) => {
    if (part.type === "call-delta") value = part.preview();
  });
  const slot = assembly.open(assembly.choice(0));
  assembly.name(slot, "any");
  assembly.append(slot, text);
  return value;
}
