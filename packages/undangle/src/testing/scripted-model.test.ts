import { streamFormats } from "#codecs";
import type { AssembledTurn } from "#core";
import type { ModelPart, ModelRequest, ModelStream } from "#model";
import { describe, expect, test } from "vitest";

import { directStream } from "./direct-stream.ts";
import type { Outcome } from "./faults/fault.ts";
import { faultNames, faultOf } from "./faults/faults.ts";
import { scriptedModel } from "./scripted-model.ts";
import { completeTurn } from "./scripted-turn.ts";
import type { ScriptedCall, ScriptedTurn } from "./scripted-turn.ts";

const tools = ["weather", "search_web", "pay"].map((name) => ({ name, description: undefined, schema: {} }));

const request = (given: Partial<ModelRequest> = {}): ModelRequest => ({
  system: [],
  messages: [],
  tools,
  knownIds: [],
  language: "en",
  signal: new AbortController().signal,
  ...given,
});

/** The parts of a stream. A preview is replaced by its current value. */
async function heard(stream: ModelStream): Promise<readonly unknown[]> {
  const parts: unknown[] = [];
  for await (const part of stream) parts.push(shown(part));
  return parts;
}

const shown = (part: ModelPart): unknown =>
  part.type === "call-delta" ? { ...part, preview: structuredClone(part.preview()) } : part;

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const call = (name: string, args: ScriptedCall["arguments"] = {}): ScriptedCall => ({ name, arguments: args });

const unknownFault: unknown = { faults: ["no-such"] };

describe("a scripted model", () => {
  test("says its turns one after the other, and remembers what it was asked", async () => {
    const model = scriptedModel([{ calls: [call("weather", { city: "Lisbon" })] }, { text: "It rains." }]);
    const messages: ModelRequest["messages"][number][] = [];
    const first = await model.stream(request({ messages })).turn();
    messages.push({ role: "user", path: "", name: undefined, parts: [] });
    const second = await model.stream(request({ messages })).turn();
    expect(first.calls).toEqual([
      {
        id: "call_1_0",
        name: "weather",
        arguments: { city: "Lisbon" },
        raw: '{"city":"Lisbon"}',
        state: "ready",
        idGenerated: false,
      },
    ]);
    expect([first.finish, second.finish, second.text]).toEqual(["tool_calls", "stop", "It rains."]);
    expect(model.requests.map(({ messages: asked }) => asked.length)).toEqual([0, 1]);
    expect(model.calls).toBe(2);
  });

  test("makes a turn of the request", async () => {
    const model = scriptedModel([async ({ messages }) => ({ text: `${messages.length} messages` })], { loop: true });
    expect((await model.stream(request()).turn()).text).toBe("0 messages");
    expect(await heard(model.stream(request()))).toHaveLength(3);
  });

  test("says that the script is over, unless it begins again", async () => {
    const model = scriptedModel([{ text: "one" }]);
    await model.stream(request()).turn();
    const sentence = "The script has 1 turns, and this is request 2: give it more turns, or loop: true.";
    await expect(model.stream(request()).turn()).rejects.toThrow(sentence);
    const looped = scriptedModel([{ text: "one" }, { text: "two" }], { loop: true });
    const texts: string[] = [];
    for (let i = 0; i < 5; i++) texts.push((await looped.stream(request()).turn()).text);
    expect(texts).toEqual(["one", "two", "one", "two", "one"]);
    await expect(scriptedModel([], { loop: true }).stream(request()).turn()).rejects.toThrow("The script has 0 turns");
  });

  test("throws the refusal of a provider with its status, when the stream is read", async () => {
    const error = { status: 429, message: "Slow down.", headers: { "retry-after": "2" } };
    const model = scriptedModel([{ error }], { loop: true });
    const refusal = { status: 429, message: "Slow down.", headers: { "retry-after": "2" } };
    expect(await errorOf(model.stream(request()).turn())).toMatchObject(refusal);
    expect(await errorOf(heard(model.stream(request())))).toMatchObject(refusal);
  });

  test("waits as long as its script says, and no longer than the signal lets it", async () => {
    const model = scriptedModel([
      { text: "at last", delay: 20 },
      { text: "never", delay: 60_000 },
    ]);
    const begin = performance.now();
    expect((await model.stream(request()).turn()).text).toBe("at last");
    expect(performance.now() - begin).toBeGreaterThan(15);
    const abort = new AbortController();
    const stream = model.stream(request({ signal: abort.signal }));
    setTimeout(() => abort.abort(new Error("enough")), 5);
    await expect(stream.turn()).rejects.toThrow("enough");
  });

  test("is cut off in the middle when the signal says so", async () => {
    const model = scriptedModel([{ text: "a long answer, piece by piece", pace: 5 }]);
    const abort = new AbortController();
    const stream = model.stream(request({ signal: abort.signal }));
    let said = "";
    for await (const part of stream) {
      if (part.type !== "text-delta") continue;
      said += part.text;
      abort.abort(new Error("enough"));
    }
    const turn = await stream.turn();
    expect(said).toBe("a long a");
    expect(turn).toMatchObject({ text: said, complete: false, finish: null });
    expect(turn.error).toEqual({ message: "enough", from: "connection" });
  });

  test("gives a signal that was aborted before an error, not an answer", async () => {
    const stream = scriptedModel([{ text: "hello" }]).stream(request({ signal: AbortSignal.abort(new Error("gone")) }));
    await expect(stream.turn()).rejects.toThrow("gone");
  });

  test.each(["openai-chat", "openai-responses", "anthropic", "bedrock"] as const)(
    "writes arguments in %s as the script does: malformed, or cut off",
    async (format) => {
      const calls = [
        { name: "pay", raw: "{amount: 3}" },
        { name: "pay", raw: '{"amount": 1' },
      ];
      const { calls: got } = await scriptedModel([{ calls }], { format }).stream(request()).turn();
      expect(got.map(({ state, arguments: args }) => [state, args])).toEqual([
        ["malformed", null],
        ["truncated", null],
      ]);
      expect(got.map(({ raw }) => raw)).toEqual(calls.map(({ raw }) => raw));
    },
  );

  test.each(["gemini", "ollama"] as const)(
    "keeps such a text in %s, which has no place for it, in a value",
    async (format) => {
      const model = scriptedModel([{ calls: [{ name: "pay", raw: "{amount: 3}" }] }], { format });
      const { calls } = await model.stream(request()).turn();
      expect(calls[0]?.arguments).toEqual({ _raw: "{amount: 3}" });
    },
  );

  test("gives calls without an id, and with one that is known, another one", async () => {
    const model = scriptedModel([
      {
        calls: [
          { ...call("pay"), id: "a" },
          { ...call("pay"), id: "" },
        ],
      },
    ]);
    const { calls } = await model.stream(request({ knownIds: new Set(["a"]) })).turn();
    expect(calls.map(({ idGenerated }) => idGenerated)).toEqual([true, true]);
    expect(new Set(calls.map(({ id }) => id)).add("a").size).toBe(3);
  });

  test("says what the provider counted", async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
    for (const direct of [true, false]) {
      const model = scriptedModel([{ text: "hello", usage }], { direct });
      expect((await model.stream(request()).turn()).usage).toEqual(usage);
    }
  });

  test.each([
    ["an option that does not exist", () => scriptedModel([], { turns: [] } as object), 'Unknown option "turns"'],
    ["a format that nobody plays", () => scriptedModel([], { format: "cohere" } as object), '"cohere" is not a value'],
    ["a fault that does not exist", () => scriptedModel([unknownFault as ScriptedTurn]), '"no-such" is not a value'],
    ["no list", () => scriptedModel({ text: "hello" } as never), "a list of turns"],
  ])("refuses %s", (_, make, sentence) => {
    expect(make).toThrow(sentence);
  });
});

describe("a turn without faults", () => {
  test.each<[boolean, ScriptedTurn]>([
    [true, { text: "hello" }],
    [true, { reasoning: "hm", calls: [call("pay"), call("weather", { city: "Oslo" })] }],
    [false, { calls: [{ name: "pay", raw: "{}" }] }],
    [
      false,
      {
        calls: [
          { name: "pay", id: "a" },
          { name: "pay", id: "a" },
        ],
      },
    ],
    [false, { calls: [{ name: "pay", id: "known" }] }],
    [false, { calls: [{ name: "functions.pay" }] }],
    [false, { text: "cut", finish: "length" }],
  ])("needs bytes only where something has to be guessed or made up: %j %j", (isDirect, scripted) => {
    expect(directStream(completeTurn(scripted, 1, "m"), new Set(["known"])) !== undefined).toBe(isDirect);
  });

  test("can be left in the middle, and read once", async () => {
    const model = scriptedModel([{ text: "a long answer, piece by piece" }], { loop: true });
    const left = model.stream(request());
    for await (const part of left) if (part.type === "text-delta") break;
    expect((await left.turn()).complete).toBe(true);
    const read = model.stream(request());
    await read.turn();
    expect(await heard(read)).toEqual([]);
  });
});

const allOf = ({ calls }: AssembledTurn): string => JSON.stringify(calls.map(({ arguments: args }) => args));

/** How an assembled turn shows each outcome. */
const outcomes: Readonly<Record<Outcome, (turn: AssembledTurn) => boolean>> = {
  same: (turn) => turn.complete && allOf(turn) === '[{"city":"Lisbon"},{"amount":3}]',
  malformed: ({ calls }) => calls.some(({ state }) => state === "malformed"),
  leaked: ({ calls }) => calls.length < 2,
  incomplete: ({ complete }) => !complete,
  length: ({ complete }) => !complete,
  error: ({ complete, error }) => !complete && error !== undefined,
};

describe("a turn with faults", () => {
  test.each(streamFormats)("is the same in %s when nothing went wrong", async (format) => {
    const got = await scriptedModel([scripted], { format }).stream(request()).turn();
    expect(got).toMatchObject({ text: "I look.", complete: true, finish: "tool_calls" });
    expect(got.calls.map(({ arguments: args }) => args)).toEqual([{ city: "Lisbon" }, { amount: 3 }]);
  });

  test.each(streamFormats)("dies in %s as a connection does", async (format) => {
    const got = await scriptedModel([{ ...scripted, faults: ["cut"] }], { format })
      .stream(request())
      .turn();
    expect(got).toMatchObject({ complete: false, error: { from: "connection", message: "terminated" } });
  });

  const scripted = { text: "I look.", calls: [call("weather", { city: "Lisbon" }), call("pay", { amount: 3 })] };

  test.each(faultNames("openai-chat"))("has the outcome that the table of faults says: %s", async (name) => {
    const turn = await scriptedModel([{ ...scripted, faults: [name] }])
      .stream(request())
      .turn();
    expect(outcomes[faultOf(name).outcome](turn)).toBe(true);
  });
});

describe("a discarded answer of a script", () => {
  const half = { text: "Half", calls: [call("weather"), { name: "pay", raw: '{"amount":' }] };

  test("is heard without its end, and the one behind it counts", async () => {
    const model = scriptedModel([half, { discard: "why" }, { text: "Whole." }, { text: "Next." }]);
    const stream = model.stream(request());
    const parts = await heard(stream);
    const types = parts.map((part) => (isTyped(part) ? part.type : ""));
    const first = types.slice(0, types.indexOf("discarded"));
    expect(new Set(first)).toEqual(new Set(["text-delta", "call-start", "call-delta"]));
    expect(parts[first.length]).toEqual({ type: "discarded", reason: "why" });
    expect(types.slice(first.length + 1)).toEqual(["text-delta", "finish"]);
    expect(await stream.turn()).toMatchObject({ text: "Whole.", calls: [] });
    expect((await model.stream(request()).turn()).text).toBe("Next.");
    expect(model.calls).toBe(2);
  });

  test("may be one that fails, one that is made of the request, and several", async () => {
    const error = { status: 500, message: "no" };
    const model = scriptedModel(
      [
        { error },
        { discard: "a" },
        () => ({ text: "B" }),
        { discard: "b" },
        { ...half, faults: ["cut"] },
        { discard: "c" },
        {},
      ],
      { loop: true },
    );
    for (const _ of [1, 2]) {
      const parts = await heard(model.stream(request()));
      expect(parts.filter((part) => isTyped(part) && part.type === "discarded")).toHaveLength(3);
    }
  });

  test("is no reason to go on after an abort", async () => {
    const controller = new AbortController();
    const model = scriptedModel([{ text: "Slow", delay: 1000 }, { discard: "a" }, { text: "B" }]);
    const stream = model.stream(request({ signal: controller.signal }));
    setTimeout(() => controller.abort(new Error("enough")), 5);
    expect(await errorOf(heard(stream))).toMatchObject({ message: "enough" });
  });

  test.each<readonly [string, Parameters<typeof scriptedModel>[0]]>([
    ["first", [{ discard: "a" }, {}]],
    ["last", [{}, { discard: "a" }]],
    ["behind another one", [{}, { discard: "a" }, { discard: "b" }, {}]],
    ["without a reason", [{}, { discard: 5 as unknown as string }, {}]],
  ])("is refused where it stands %s", (_, turns) => {
    expect(() => scriptedModel(turns)).toThrow(expect.objectContaining({ code: "options/value" }));
  });

  test("may have no faults that do not exist", () => {
    const turns = [unknownFault, { discard: "a" }, {}] as Parameters<typeof scriptedModel>[0]; // invalid on purpose
    expect(() => scriptedModel(turns)).toThrow(expect.objectContaining({ code: "options/value" }));
  });

  const isTyped = (part: unknown): part is { readonly type: string } =>
    typeof part === "object" && part !== null && "type" in part;
});
