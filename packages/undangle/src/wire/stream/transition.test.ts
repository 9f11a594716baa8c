import { expect, test } from "vitest";

import { responseWriters } from "#codecs";
import type { StreamWriter } from "#codecs";

import { initialState } from "./state.ts";
import type { ErrorEvent, FrameEvent, Holding, StreamEvent, StreamState } from "./state.ts";
import { transition } from "./transition.ts";
import type { Facts } from "./transition.ts";

// Each row: what happens, in which state, and what follows. The strict client and the reader answer as the row states.

const writer = responseWriters["openai-chat"]?.stream({ request: { tools: [{}] } });
if (writer === undefined) throw new Error("There is no writer.");

const call = { id: "call_1", name: "f", arguments: "{}" };

/** Facts of a chat stream whose events are valid. */
const factsWith = (given: Partial<StreamWriter> = {}, isIncomplete = false): Facts => ({
  reader: { isIncomplete: () => isIncomplete, isPlainName: () => true },
  writer: { ...writer, isValid: () => true, clientTurns: () => [{ calls: [call], isEnded: false }], ...given },
  dialect: { readsAfterError: true },
  live: undefined,
  isLive: false,
});

const frame = (given: Partial<FrameEvent> = {}): FrameEvent => ({
  type: "frame",
  frame: { value: { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] } },
  texts: [],
  hasCall: false,
  hasEnd: false,
  slots: [],
  isCanonical: true,
  ...given,
});
const text = frame({ texts: [{ type: "text", choice: 0, text: "a" }] });
const ofCall = frame({ hasCall: true });
const end = frame({ hasEnd: true });
const error = (given: Partial<ErrorEvent> = {}): ErrorEvent => ({
  type: "error",
  read: [],
  isCanonical: true,
  hasCall: false,
  isError: true,
  isFinishReason: false,
  isVisible: true,
  ...given,
});

const passing = initialState;
const waiting: StreamState = { ...passing, phase: "passing", finish: end.frame };
const holding: Holding = {
  ...passing,
  phase: "holding",
  isIntact: true,
  isChecked: false,
  hasText: false,
  hasEnd: false,
};
const rewriting: StreamState = { ...passing, phase: "rewriting" };
const overrun: StreamState = { ...passing, phase: "overrun" };
const failed: StreamState = { ...passing, phase: "failed", before: "passing", mustBreak: false, mayContinue: true };

const ended = { isEnded: () => true };
const indexed = { hasIndexedParts: true };
const open = { clientTurns: () => undefined };
const endsCall = { endsCall: () => true };

type Row = readonly [
  what: string,
  state: StreamState,
  event: StreamEvent,
  next: Partial<Holding> | { readonly [key: string]: unknown },
  effects: readonly string[],
  facts?: Facts,
];

const rows: readonly Row[] = [
  ["text passes", passing, text, { phase: "passing" }, ["pass"]],
  ["a call is held", passing, ofCall, { phase: "holding", isIntact: true, isChecked: false }, ["hold", "then held"]],
  [
    "a call in another notation is held, and will not pass as it arrived",
    passing,
    frame({ hasCall: true, isCanonical: false }),
    { phase: "holding", isIntact: false },
    ["hold", "then held"],
  ],
  [
    "an end without calls waits for the next event",
    passing,
    end,
    { phase: "passing", finish: end.frame, isTurnOver: true },
    ["hold-finish"],
  ],
  [
    "an end after which no call may follow passes",
    passing,
    end,
    { phase: "passing", isTurnOver: true },
    ["pass"],
    factsWith({ mayPrecedeCall: () => false }),
  ],
  [
    "an end that has to be rewritten is held",
    passing,
    end,
    { phase: "holding", hasEnd: true },
    ["hold", "then held"],
    factsWith({ isValid: () => false }),
  ],
  [
    "an end is held if a call may be lost",
    passing,
    end,
    { phase: "holding", isIntact: false },
    ["hold", "then held"],
    factsWith({}, true),
  ],
  [
    "a held end passes before the next event",
    waiting,
    { type: "next", hasCall: false },
    { phase: "passing" },
    ["emit-finish"],
  ],
  [
    "a held end stays held with a call",
    waiting,
    { type: "next", hasCall: true },
    { phase: "holding", hasEnd: true },
    ["keep-finish"],
  ],
  ["nothing waits", passing, { type: "next", hasCall: true }, { phase: "passing" }, []],
  [
    "text releases complete calls",
    holding,
    text,
    { phase: "passing", released: [{ calls: [call], isEnded: false }] },
    ["release", "then frame"],
  ],
  [
    "text passes incomplete calls",
    holding,
    text,
    { phase: "holding", isChecked: true },
    ["write-held-text", "pass"],
    factsWith(open),
  ],
  [
    "text is held with incomplete calls if parts are numbered",
    holding,
    text,
    { phase: "holding" },
    ["hold", "then held"],
    factsWith({ ...open, ...indexed }),
  ],
  ["more of a call is held", holding, ofCall, { phase: "holding", isChecked: false }, ["hold", "then held"]],
  [
    "held text is written before other text, and its events cannot pass any more",
    { ...holding, hasText: true },
    text,
    { phase: "holding", hasText: false, isIntact: false },
    ["write-held-text", "pass"],
    factsWith(open),
  ],
  ["an unreadable event taints held calls", holding, { type: "loss" }, { phase: "holding", isIntact: false }, []],
  ["an unreadable event changes nothing else", passing, { type: "loss" }, { phase: "passing" }, []],
  [
    "the end of a complete call releases it",
    holding,
    { type: "held", of: ofCall },
    { phase: "passing" },
    ["release"],
    factsWith(endsCall),
  ],
  [
    "the end of an incomplete call releases nothing",
    holding,
    { type: "held", of: ofCall },
    { phase: "holding", isChecked: true },
    [],
    factsWith({ ...endsCall, ...open }),
  ],
  ["text passes calls that are rewritten", rewriting, text, { phase: "rewriting" }, ["write-held-text", "pass"]],
  ["content after the end of the turn", passing, text, { phase: "overrun" }, [], factsWith(ended)],
  ["everything after that is dropped", overrun, ofCall, { phase: "overrun" }, []],
  [
    "an error that clients see passes",
    passing,
    error(),
    { phase: "failed", before: "passing", mustBreak: false, mayContinue: false },
    ["write-before-error", "pass-error"],
  ],
  [
    "an error that clients do not see breaks the body",
    holding,
    error({ isVisible: false }),
    { phase: "failed", before: "holding", mustBreak: true },
    ["write-before-error", "pass-error"],
  ],
  [
    "an error with a call does not pass",
    passing,
    error({ hasCall: true }),
    { phase: "failed", mustBreak: true },
    ["write-before-error"],
  ],
  [
    "usage may follow a finish reason that is an error",
    passing,
    error({ isFinishReason: true }),
    { phase: "failed", mayContinue: true },
    ["write-before-error", "pass-error"],
  ],
  ["a second error ends the response", failed, error(), { phase: "failed", mayContinue: false }, ["pass-error"]],
];

const named = rows.map(([what, state, event, next, effects, facts = factsWith()]) => {
  return { what, state, event, next, effects, facts };
});

test.each(named)("$what", ({ state, event, next, effects, facts }) => {
  const [after, done] = transition(state, event, facts);
  expect(after).toMatchObject(next);
  expect(done.map((effect) => (effect.do === "then" ? `then ${effect.event.type}` : effect.do))).toEqual(effects);
});
