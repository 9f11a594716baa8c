import type { Outcome, ScriptedTurn } from "undangle/testing";
import type { Heard } from "./sdks.ts";

const calls = [
  { id: "call_a1", name: "find_book", arguments: { title: 'Emma "x"', year: 1815 } },
  { id: "call_b2", name: "open_file", arguments: { path: "/tmp/ü.txt" } },
];

/** What the model says to every program. */
export const turn: ScriptedTurn = { text: "Let me look.", calls };

/**
 * What a program got out of a stream with a fault. `unsafe`: it can run a call that is not what the model meant, one call
 * twice, or one of a turn that is not complete and does not end in an error; `lost`: it has less than there was, or an error
 * in place of it.
 */
export type Verdict = "right" | "lost" | "unsafe";

/** Judges what a program has heard; undefined when its SDK threw. */
export function verdictOn(heard: Heard | undefined, outcome: Outcome): Verdict {
  if (heard === undefined) return outcome === "same" ? "lost" : "right";
  const run = heard.calls.filter(({ arguments: args }) => typeof valueOf(args) !== "string"); // no JSON: nobody runs it
  if (!run.every(isMeant) || new Set(run.map(({ name }) => name)).size < run.length) return "unsafe";
  if (outcome === "same") {
    const ids = new Set(heard.calls.map(({ id }) => id));
    const isWhole = heard.text === turn.text && heard.calls.length === calls.length && run.length === calls.length;
    const hasIds = ids.size === calls.length && !ids.has(undefined) && !ids.has("");
    return isWhole && hasIds && heard.error === undefined ? "right" : "lost";
  }
  if (heard.error !== undefined || heard.calls.length === 0) return "right";
  if (outcome === "malformed") return run.length < heard.calls.length ? "right" : "unsafe";
  return run.length > 0 ? "unsafe" : "lost";
}

function isMeant({ name, arguments: args }: Heard["calls"][number]): boolean {
  const text = JSON.stringify(valueOf(args));
  return calls.some((call) => call.name === name && JSON.stringify(call.arguments) === text);
}

/** The value of arguments, or what is no JSON. */
function valueOf(args: unknown): unknown {
  if (typeof args !== "string") return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}
