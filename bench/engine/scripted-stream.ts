import type { AssembledCall, AssembledStream, AssembledTurn, StreamPart } from "undangle";
import type { ScriptedCall } from "./workload.ts";

/** An answer that is there at once, in the form in which models give theirs to the engine; each call makes a new stream of it. */
export function answerOf(calls: readonly ScriptedCall[], text: string): () => AssembledStream {
  const turn = turnOf(calls, text);
  const parts = partsOf(turn);
  return () => {
    let next = 0;
    return {
      turn: () => Promise.resolve(turn),
      turns: () => Promise.resolve([turn]),
      [Symbol.asyncIterator]: () => ({
        next() {
          const value = parts[next++];
          return Promise.resolve(value === undefined ? { done: true, value } : { done: false, value });
        },
      }),
    };
  };
}

function turnOf(given: readonly ScriptedCall[], text: string): AssembledTurn {
  const calls = given.map((call): AssembledCall => {
    const { id, name, arguments: args, text: raw } = call;
    return { id, name, arguments: { ...args }, raw, state: "ready", idGenerated: false };
  });
  return {
    text,
    reasoning: "",
    calls,
    parts: [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...calls.map((call) => ({ type: "call" as const, call })),
    ],
    finish: calls.length > 0 ? "tool_calls" : "stop",
    complete: true,
    anomalies: [],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  };
}

/** Text and arguments come in one piece: how models cut them is not what is measured. */
function partsOf(turn: AssembledTurn): readonly StreamPart[] {
  const { text, calls } = turn;
  const choice = 0;
  return [
    ...(text === "" ? [] : [{ type: "text-delta" as const, choice, text }]),
    ...calls.flatMap((result, call): readonly StreamPart[] => [
      { type: "call-start", choice, call, id: result.id, name: result.name },
      { type: "call-delta", choice, call, text: result.raw, preview: () => result.arguments },
      { type: "call-end", choice, call, result },
    ]),
    { type: "finish", choice, turn },
  ];
}
