import { isDeepStrictEqual } from "node:util";

import type { LedgerCall } from "../../packages/undangle/src/engine/index.ts";
import type { ThreadLine } from "./diary.ts";
import { gatedTools, mayRunTwice } from "./watched-tools.ts";

/** What is known of one call: what the thread says, and what was written down while it happened. */
export interface CallCase {
  readonly call: LedgerCall;
  readonly starts: readonly Extract<ThreadLine, { type: "start" }>[];
  readonly ends: readonly Extract<ThreadLine, { type: "end" }>[];
  readonly decisions: readonly string[];
}

/** What must hold of every call at any moment; each gives what is wrong. */
type CallLaw = (given: CallCase) => string | undefined | false;

/** Whatever breaks a law, with the name of the law. */
export function brokenCallLaws(given: CallCase): readonly string[] {
  return Object.entries(callLaws).flatMap(([name, law]) => {
    const problem = law(given);
    return problem ? [`${name}: ${given.call.id} (${given.call.name}, ${given.call.state}) ${problem}`] : [];
  });
}

const callLaws: Readonly<Record<string, CallLaw>> = {
  "I2 a tool starts at most once per approval, unless it may run twice": ({ call, starts }) => {
    if (starts.length > 1 && !mayRunTwice.has(call.name)) return `was started ${starts.length} times`;
    return new Set(starts.map(({ key }) => key)).size > 1 && "was started with several idempotency keys";
  },
  "it is on disk that a tool runs before it does": ({ call, starts }) =>
    starts.length > call.attempts && `was started ${starts.length} times, and the thread knows of ${call.attempts}`,
  "I4 what runs is exactly what was approved": ({ call, starts, decisions }) => {
    const given = starts.find(({ tool, args }) => tool !== call.name || !isDeepStrictEqual(args, JSON.parse(call.raw)));
    if (given !== undefined) return `ran ${given.tool} with ${JSON.stringify(given.args)} in place of ${call.raw}`;
    if (starts.length === 0 || !gatedTools.includes(call.name)) return undefined;
    const decided = call.decision?.type ?? "nothing";
    return !(["approve", "edit"].includes(decided) && decisions.includes(decided)) && `ran, and ${decided} was decided`;
  },
  "I5 only whole, valid arguments of tools that exist run": ({ call, starts }) =>
    starts.length > 0 && !/^\{"about":"[^"]*"\}$/u.test(call.raw) && `ran with ${call.raw}`,
  "I8 a tool that throws is an error result": ({ call, ends }) =>
    call.name === "boom" && call.state === "succeeded" && ends.length > 0 && "succeeded",
  "a call that waits for its start has none": ({ call: { name, state }, starts }) =>
    ["proposed", "awaiting", "approved"].includes(state) && starts.length > 0 && !mayRunTwice.has(name) && "has run",
  "a call has an outcome exactly when it is settled": ({ call: { state, outcome } }) =>
    ["proposed", "awaiting", "approved", "running", "delegated"].includes(state) === (outcome !== undefined) &&
    "has the wrong one",
  "a result is what the tool gave": ({ call: { outcome, state }, ends, starts }) => {
    if (outcome?.type !== "result" || state === "responded") return undefined;
    const told = outcome.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    if (state === "failed" && starts.length === 0) return undefined; // it never got as far as its tool
    return !ends.some(({ result }) => told.includes(result)) && `is told as ${JSON.stringify(told)}`;
  },
  "what is told not to have run has not": ({ call: { outcome, state }, starts }) => {
    const cause = outcome?.type === "notice" ? outcome.cause : undefined;
    const isUnknown = cause === "crashed" || cause === "stopped-running" || cause === "timed-out";
    const isAnswer = state === "responded" || (cause !== undefined && !isUnknown);
    return isAnswer && starts.length > 0 && `is told as ${cause ?? "answered by the person"}, and has run`;
  },
  "what was cut off by a crash is lost, outcome unknown": ({ call: { outcome, state } }) =>
    (state === "lost") !== (outcome?.type === "notice" && outcome.cause === "crashed") && "is told otherwise",
};
