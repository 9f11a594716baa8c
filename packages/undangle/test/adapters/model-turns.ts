/** What models answer, as parts of a stream: healthy, and broken in the ways of `undangleModel`. */
type Part = Readonly<Record<string, unknown>>;

export const usage = {
  inputTokens: { total: 9, noCache: 9, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 7, text: 7, reasoning: 0 },
};

export const start: Part = { type: "stream-start", warnings: [] };

export const said = (text: string): readonly Part[] => [
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: text },
  { type: "text-end", id: "t" },
];

export const call = (toolCallId: unknown, input: unknown, more: Part = {}): Part => ({
  type: "tool-call",
  toolCallId,
  toolName: "search",
  input,
  ...more,
});

/** The input of a call, as it comes before the call. */
export const inputOf = (id: unknown, ...deltas: readonly string[]): readonly Part[] => [
  { type: "tool-input-start", id, toolName: "search" },
  ...deltas.map((delta) => ({ type: "tool-input-delta", id, delta })),
  { type: "tool-input-end", id },
];

export const finish = (unified: string, raw: string | undefined = unified): Part => ({
  type: "finish",
  finishReason: { unified, raw },
  usage,
});

const a = '{"query":"a"}';
const b = '{"query":"b"}';

/** Turns that pass as they are. */
export const healthyTurns: Readonly<Record<string, readonly Part[]>> = {
  "text alone": [start, ...said("Hello."), finish("stop")],
  "text that was cut": [start, ...said("Hel"), finish("length")],
  "two calls": [start, ...said("I look."), call("c1", a), call("c2", b), finish("tool-calls")],
  "a call with its input": [start, ...inputOf("c1", '{"query"', ':"a"}'), call("c1", a), finish("tool-calls")],
  "a call that the provider runs": [
    start,
    call("p1", a, { providerExecuted: true }),
    { type: "tool-result", toolCallId: "p1", toolName: "search", result: "found" },
    ...said("Found."),
    finish("stop"),
  ],
  "an input that is malformed": [start, call("c1", '{"query":a}'), finish("tool-calls")],
};

/** Turns that run as they should once they are mended: with what is run, with the middleware and without. */
export const mendedTurns: Readonly<
  Record<string, { readonly parts: readonly Part[]; readonly runs: readonly string[]; readonly without: unknown }>
> = {
  "calls without ids": {
    parts: [start, call("", a), call(undefined, b), call("  ", b), finish("tool-calls")],
    runs: ["a", "b", "b"],
    without: { ids: ["", undefined, "  "] },
  },
  "the same call twice": {
    parts: [start, call("c1", a), call("c1", '{ "query": "a" }'), finish("tool-calls")],
    runs: ["a"],
    without: { runs: ["a", "a"] },
  },
  "the same call twice, with its input": {
    parts: [
      start,
      ...inputOf("c1", a),
      call("c1", '{"query":"a","more":1}'),
      ...inputOf("c1", a),
      call("c1", '{"more":1,"query":"a"}'),
      finish("tool-calls"),
    ],
    runs: ["a"],
    without: { runs: ["a", "a"] },
  },
  "two calls under one id": {
    parts: [start, call("c1", a), call("c1", b), finish("tool-calls")],
    runs: ["a", "b"],
    without: { ids: ["c1", "c1"] },
  },
  "two calls under one id, with their input": {
    parts: [start, ...inputOf("c1", a), call("c1", a), ...inputOf("c1", b), call("c1", b), finish("tool-calls")],
    runs: ["a", "b"],
    without: { ids: ["c1", "c1"] },
  },
  "an input that is an object": {
    parts: [start, call("c1", { query: "a" }), finish("tool-calls")],
    runs: ["a"],
    without: { runs: [] },
  },
  "an input in a JSON text": {
    parts: [start, call("c1", JSON.stringify(a)), finish("tool-calls")],
    runs: ["a"],
    without: { runs: [] },
  },
  "no input": {
    parts: [start, { type: "tool-call", toolCallId: "c1", toolName: "search" }, finish("tool-calls")],
    runs: ["nothing"],
    without: { runs: [] },
  },
  "a blank input": {
    parts: [start, call("c1", '""'), call("c2", " "), finish("tool-calls")],
    runs: ["nothing", "nothing"],
    without: { runs: ["nothing"] },
  },
  "an end that forgets the calls": {
    parts: [start, call("c1", a), finish("stop", "eos")],
    runs: ["a"],
    without: { finishReason: "stop" },
  },
};

/** Turns of which nothing may be run, and why. */
export const cutTurns: Readonly<Record<string, { readonly parts: readonly Part[]; readonly why: string }>> = {
  "out of tokens": { parts: [start, ...said("Hi."), call("c1", a), finish("length")], why: "it ended with length" },
  filtered: {
    parts: [start, ...said("Hi."), call("c1", a), finish("content-filter")],
    why: "it ended with content-filter",
  },
  failed: { parts: [start, ...said("Hi."), call("c1", a), finish("error")], why: "it ended with error" },
  "ended for reasons of its own": {
    parts: [start, ...said("Hi."), call("c1", a), finish("other")],
    why: "it ended with other",
  },
  "cut in an input, though its end denies it": {
    parts: [start, ...said("Hi."), call("c1", a), call("c2", '{"query":"b'), finish("tool-calls")],
    why: "the input of a call is cut off",
  },
  "broken off": { parts: [start, ...said("Hi."), call("c1", a)], why: "the stream broke off" },
  "broken off in an input": {
    parts: [start, ...said("Hi."), ...inputOf("c1", a).slice(0, 2)],
    why: "the stream broke off",
  },
  "with a hole": {
    parts: [start, ...said("Hi."), { type: "error", error: new Error("bad chunk") }, call("c1", a), finish("stop")],
    why: "an error came before its end",
  },
};
