import { beforeAll, describe, expect, test } from "vitest";
import { undangleModel, type ModelRepair } from "../../src/adapters/ai-sdk.ts";
import { call, finish, inputOf, said, start } from "./model-turns.ts";

beforeAll(() => {
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
});

type Part = Readonly<Record<string, unknown>>;

const a = '{"query":"a"}';
const b = '{"query":"b"}';
const tools = [{ type: "function", name: "search", inputSchema: { type: "object", properties: { query: {} } } }];
const model = { provider: "test.chat", modelId: "some-model" };
const prompt = [{ role: "user", content: [{ type: "text", text: "Go." }] }];

/** What comes out of a stream of these parts, and what is told of it. */
async function pass(parts: readonly unknown[], params: object = { tools }) {
  const repairs: ModelRepair[] = [];
  const lines: string[] = [];
  const middleware = undangleModel({
    onRepair: (repair) => repairs.push(repair),
    logger: { warn: (line) => void lines.push(line) },
  });
  const doStream = async () => ({ stream: ReadableStream.from(parts) });
  const { stream } = await middleware.wrapStream({ doStream, params: { prompt, ...params }, model });
  const passed: Part[] = [];
  for await (const part of stream) passed.push(part as Part);
  const calls = passed.filter(({ type }) => type === "tool-call");
  const errors = passed.flatMap(({ type, error }) => (type === "error" ? [String(error)] : []));
  return { passed, calls, errors, repairs, lines };
}

/** The same answer, not streamed. */
async function generate(content: readonly unknown[], finishReason: unknown) {
  const repairs: ModelRepair[] = [];
  const middleware = undangleModel({ onRepair: (repair) => repairs.push(repair), logger: false });
  const warnings: { readonly type: string; readonly message: string }[] = [];
  const doGenerate = async () => ({ content, finishReason, warnings });
  const answer = await middleware.wrapGenerate({ doGenerate, params: { prompt, tools }, model });
  return { answer, repairs };
}

const kindsOf = (repairs: readonly ModelRepair[]): readonly string[] =>
  repairs.flatMap(({ anomalies = [] }) => anomalies.map(({ kind }) => kind));

const madeId: unknown = expect.stringMatching(/^call_/u);
const decorated = { toolName: " search<|channel|>commentary" };
const blankEvent = {
  type: "error",
  error: Object.assign(new Error("JSON parsing failed"), { name: "AI_JSONParseError", text: "" }),
};

describe("a stream is mended, and it is told", () => {
  const cases: Readonly<
    Record<string, { parts: readonly Part[]; calls: readonly unknown[]; told: readonly string[] }>
  > = {
    "a name with something around it": {
      parts: [start, call("c1", a, decorated), finish("tool-calls")],
      calls: [call("c1", a)],
      told: ["name-decorated"],
    },
    "an input of which every delta is the whole": {
      parts: [
        start,
        ...inputOf("c1", '{"query"', '{"query":"a', a),
        call("c1", `{"query"{"query":"a${a}`),
        finish("tool-calls"),
      ],
      calls: [call("c1", a)],
      told: ["arguments-cumulative"],
    },
    "an empty object before the input": {
      parts: [start, ...inputOf("c1", "{}", '{"query"', ':"a"}'), call("c1", `{}${a}`), finish("tool-calls")],
      calls: [call("c1", a)],
      told: ["arguments-placeholder"],
    },
    "an empty call, and its input under the same id": {
      parts: [
        start,
        ...inputOf("c1", "{}"),
        call("c1", "{}"),
        ...inputOf("c1", a),
        call("c1", a),
        finish("tool-calls"),
      ],
      calls: [call("c1", a)],
      told: ["arguments-placeholder"],
    },
    "a call again, under an id that the SDK made up": {
      parts: [
        start,
        ...inputOf("c1", b),
        call("c1", b),
        ...inputOf("c2", a),
        call("c2", a),
        ...inputOf("x8dkuSiXRKJitvVg", a),
        call("x8dkuSiXRKJitvVg", a),
        finish("tool-calls"),
      ],
      calls: [call("c1", b), call("c2", a)],
      told: ["arguments-resent"],
    },
    "an input without its call": {
      parts: [start, ...inputOf("c1", '{"query"', ':"a"}').slice(0, -1), finish("stop")],
      calls: [call("c1", a)],
      told: ["finish-contradicts"],
    },
    "events without data": {
      parts: [start, blankEvent, call("c1", a), blankEvent, finish("tool-calls"), blankEvent],
      calls: [call("c1", a)],
      told: ["frame-not-json"],
    },
    "no id": {
      parts: [start, call(null, a), finish("tool-calls")],
      calls: [{ input: a, toolCallId: madeId }],
      told: ["id-missing"],
    },
    "two calls under one id": {
      parts: [start, call("c1", a), call("c1", b), finish("tool-calls")],
      calls: [call("c1", a), { input: b, toolCallId: madeId }],
      told: ["id-repeated"],
    },
    "an input that is an object": {
      parts: [start, call("c1", { query: "a" }), finish("tool-calls")],
      calls: [call("c1", a)],
      told: ["arguments-object"],
    },
  };

  test.each(Object.entries(cases))("%s", async (_, { parts, calls, told }) => {
    const outcome = await pass(parts);
    expect(outcome).toMatchObject({ calls, errors: [] });
    expect(outcome.repairs).toMatchObject([{ side: "response", format: "ai-sdk", isChanged: true }]);
    expect(kindsOf(outcome.repairs)).toEqual(told);
    expect(outcome.passed.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "tool-calls" } });
  });

  test("an input of its own goes with the id and the name that the call gets", async () => {
    const [first, ...rest] = inputOf("c1", a);
    const { passed } = await pass([{ ...first, ...decorated }, ...rest, call("c1", a, decorated), finish("stop")]);
    expect(passed[0]).toMatchObject({ type: "tool-input-start", toolName: "search" });
  });

  test("text under ids that never began goes to what did", async () => {
    const [begin, delta, end] = said("Hello.");
    const { passed, repairs } = await pass([begin, { ...delta, id: "u" }, { ...end, id: "v" }, finish("stop")]);
    expect(passed).toEqual([begin, delta, end, finish("stop")]);
    expect(repairs).toMatchObject([{ isChanged: true, anomalies: [] }]);
    const bare = await pass([delta, finish("stop")]);
    expect(bare.passed).toEqual([begin, delta, finish("stop")]);
  });

  test("malformed input passes as it is, and is told", async () => {
    const parts = [start, call("c1", '{"query":a}'), finish("tool-calls")];
    const { passed, repairs } = await pass(parts);
    expect(passed).toEqual(parts);
    expect(repairs).toMatchObject([{ isChanged: false, anomalies: [{ kind: "arguments-malformed", call: 0 }] }]);
  });
});

describe("no call passes, and it is told why", () => {
  test.each([
    {
      name: "an input is cut off",
      parts: [call("c1", a), call("c2", '{"query":"'), finish("tool-calls")],
      why: "the input of a call is cut off",
      told: ["arguments-truncated"],
    },
    {
      name: "the input of a call that has one did not come",
      parts: [...inputOf("c1", a), ...inputOf("c2"), call("c1", a), call("c2", ""), finish("tool-calls")],
      why: "the input of a call is cut off",
      told: ["arguments-truncated"],
    },
    {
      name: "a call is empty, next to one whose input had an empty object before it",
      parts: [
        ...inputOf("c1", "{}", a),
        ...inputOf("c2", "{}"),
        call("c1", `{}${a}`),
        call("c2", "{}"),
        finish("tool-calls"),
      ],
      why: "the input of a call is cut off",
      told: ["arguments-placeholder", "arguments-truncated"],
    },
    {
      name: "a call is empty, and the SDK made up an id for one that has input",
      parts: [...inputOf("c1", "{}"), call("c1", "{}"), ...inputOf("x8dkuSiXRKJitvVg", a), finish("tool-calls")],
      why: "the input of a call is cut off",
      told: ["arguments-truncated"],
    },
    {
      name: "a call has no input, and a name that is no tool's",
      parts: [...inputOf("c1").map((part) => ({ ...part, ...decorated })), call("c1", "", decorated), finish("stop")],
      why: "the input of a call is cut off",
      told: ["name-decorated", "arguments-truncated", "finish-contradicts"],
    },
    {
      name: "the turn is out of tokens",
      parts: [call("c1", a), finish("length")],
      why: "it ended with length",
      told: [],
    },
    { name: "the stream broke off", parts: [call("c1", a)], why: "the stream broke off", told: ["stream-cut"] },
    {
      name: "the provider failed",
      parts: [{ type: "error", error: new Error("overloaded") }, call("c1", a), finish("tool-calls")],
      why: "an error came before its end",
      told: ["stream-error"],
    },
  ])("when $name", async ({ parts, why, told }) => {
    const { calls, errors, repairs, lines } = await pass([start, ...parts]);
    expect(calls).toEqual([]);
    expect(errors.at(-1)).toContain(why);
    expect(repairs).toMatchObject([{ isChanged: true }]);
    expect(repairs[0]?.error).toContain(why);
    expect(kindsOf(repairs)).toEqual(told);
    expect(lines).toHaveLength(1);
  });

  test("when it comes after the end", async () => {
    const { passed, repairs } = await pass([...said("Hi."), finish("stop"), call("c1", a), finish("stop")]);
    expect(passed.map(({ type }) => type)).toEqual(["text-start", "text-delta", "text-end", "finish", "error"]);
    expect(kindsOf(repairs)).toEqual(["after-finish"]);
  });
});

describe("nothing is taken for damage", () => {
  test.each(
    Object.entries<readonly Part[]>({
      "the same call twice, on purpose": [call("c1", a), call("c2", a), finish("tool-calls")],
      "the same call twice, under ids that the SDK made up": [
        call("x8dkuSiXRKJitvVg", a),
        call("6a6sNpxR0MVQwPKS", a),
        finish("tool-calls"),
      ],
      "a call that the provider runs, of which the input does not say so": [
        ...inputOf("p1", a),
        call("p1", a, { providerExecuted: true }),
        finish("stop"),
      ],
      "an error that nobody else reports": [...said("Hi."), { type: "error", error: "no" }, finish("error")],
      "the input of a tool that nobody offered": inputOf("c1", a).map((part) => ({ ...part, toolName: "other" })),
    }),
  )("%s", async (_, given) => {
    const parts = given.at(-1)?.["type"] === "finish" ? given : [...given, finish("stop")];
    const { passed, repairs } = await pass(parts);
    expect(passed).toEqual(parts);
    expect(repairs).toEqual([]);
  });

  test("the end in an error keeps one, where the others only said that events had no data", async () => {
    const parts = [...said("Hi."), blankEvent, blankEvent, finish("error")];
    expect((await pass(parts)).passed).toEqual([...said("Hi."), blankEvent, finish("error")]);
  });
});

describe("whoever listens", () => {
  test("is told of answers that are not streamed", async () => {
    const mended = await generate([call("c1", a), call("c1", a)], { unified: "tool-calls", raw: "x" });
    expect(mended.answer.content).toEqual([call("c1", a)]);
    expect(kindsOf(mended.repairs)).toEqual(["arguments-resent"]);
    const cut = await generate([call("c1", '{"query":"')], { unified: "tool-calls", raw: "x" });
    expect(cut.answer).toMatchObject({ content: [], finishReason: { unified: "error", raw: "x" } });
    expect(cut.repairs.map(({ error }) => error)).toEqual([cut.answer.warnings[0]?.message]);
  });

  test("gets a line with the model, and what it was", async () => {
    const { lines } = await pass([call(null, a), call(undefined, b), finish("tool-calls")]);
    expect(lines).toEqual(["undangle: repaired the response of some-model (test.chat): id-missing ×2"]);
    const cut = await pass([call("c1", a), finish("length")]);
    expect(cut.lines[0]).toMatch(
      /^undangle: withheld calls in the response of some-model \(test\.chat\): .+ length\./u,
    );
  });

  test("gets a line for a prompt", async () => {
    const lines: string[] = [];
    const middleware = undangleModel({ logger: { warn: (line) => void lines.push(line) } });
    const content = [{ type: "tool-call", toolCallId: "c1", toolName: "search", input: {} }];
    await middleware.transformParams({ params: { prompt: [...prompt, { role: "assistant", content }] }, model });
    expect(lines).toEqual([
      expect.stringMatching(/^undangle: repaired the prompt for some-model \(test\.chat\): \S+$/u),
    ]);
  });

  test("cannot disturb the stream", async () => {
    const disturb = (): never => {
      throw new Error("no");
    };
    const middleware = undangleModel({ onRepair: disturb, logger: { warn: disturb } });
    const doStream = async () => ({ stream: ReadableStream.from([call(null, a), finish("stop")]) });
    const { stream } = await middleware.wrapStream({ doStream, params: { prompt } });
    const passed = [];
    for await (const part of stream) passed.push(part);
    expect(passed).toHaveLength(2);
  });
});
