import { assembleAiSdk } from "#codecs";
import type { AssembledTurn, StreamPart } from "#core";
import { describe, expect, test } from "vitest";

import { call, cutTurns, finish, healthyTurns, inputOf, mendedTurns, said, start } from "../adapters/model-turns.ts";

type Part = Readonly<Record<string, unknown>>;

const search = {
  type: "function",
  name: "search",
  inputSchema: { type: "object", properties: { query: { type: "string" } } },
} as const;

/** What becomes of the parts of a model: the turn, and what was told on the way. */
async function assembled(parts: readonly unknown[], knownIds: readonly string[] = []) {
  async function* source(): AsyncGenerator {
    yield* parts;
  }
  const stream = assembleAiSdk(source(), { tools: [search], knownIds });
  const told: StreamPart[] = [];
  for await (const part of stream) told.push(part);
  return { turn: await stream.turn(), told };
}

/** What an agent would run of a turn. */
const runs = ({ complete, calls }: AssembledTurn): readonly unknown[] =>
  complete ? calls.flatMap((each) => (each.state === "ready" ? [each.arguments?.["query"] ?? "nothing"] : [])) : [];

const a = '{"query":"a"}';

const reasoning = (id: string, start: Part = {}, deltas: readonly Part[] = [], end: Part = {}): readonly Part[] => [
  { type: "reasoning-start", id, ...start },
  ...deltas.map((delta) => ({ type: "reasoning-delta", id, ...delta })),
  { type: "reasoning-end", id, ...end },
];

describe("the parts of a model of the AI SDK", () => {
  test.each(Object.entries(healthyTurns))("are read as they are: %s", async (_, parts) => {
    const { turn } = await assembled(parts);
    expect(turn.error).toBeUndefined();
    const kinds = turn.anomalies.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== "server-tool" && kind !== "arguments-malformed")).toEqual([]);
  });

  test.each(Object.entries(mendedTurns))("are mended: %s", async (_, { parts, runs: expected }) => {
    const { turn } = await assembled(parts);
    expect(runs(turn)).toEqual(expected);
    expect(new Set(turn.calls.map(({ id }) => id)).size).toBe(expected.length);
    expect(turn.finish).toBe("tool_calls");
  });

  test.each(Object.entries(cutTurns))("lead to no call when the turn is not whole: %s", async (_, { parts }) => {
    const { turn } = await assembled(parts);
    expect(runs(turn)).toEqual([]);
    expect(turn.text).toBe("Hi.");
    expect(turn.complete).toBe(false);
  });

  test("tell a call as it comes, and once", async () => {
    const parts = [start, ...inputOf("c1", '{"query"', ':"a"}'), call("c1", a), finish("tool-calls")];
    const { told } = await assembled(parts);
    expect(told.map(({ type }) => type)).toEqual(["call-start", "call-delta", "call-delta", "call-end", "finish"]);
  });

  test("do not tell a call that is another one again", async () => {
    const { told, turn } = await assembled([
      start,
      call("c1", a),
      call("c1", a),
      call("aB3dE6gH9jK2mN5p", a), // an id of the SDK, for the same call once more
      finish("tool-calls"),
    ]);
    expect(told.filter(({ type }) => type === "call-start")).toHaveLength(1);
    expect(turn.calls).toHaveLength(1);
  });

  test("give no call an id that the conversation knows", async () => {
    const { turn } = await assembled([start, call("c1", a), finish("tool-calls")], ["c1"]);
    expect(turn.calls).toMatchObject([{ idGenerated: true, state: "ready" }]);
    expect(turn.calls[0]?.id).not.toBe("c1");
  });

  test("are cut off where the input of a call was lost", async () => {
    const lost = [{ type: "tool-input-start", id: "c2", toolName: "search" }];
    const { turn } = await assembled([start, ...inputOf("c1", a), call("c1", a), ...lost, finish("tool-calls")]);
    expect(turn.calls.map(({ state }) => state)).toEqual(["ready", "truncated"]);
    expect(runs(turn)).toEqual([]);
  });

  test("have no call that comes behind their end", async () => {
    const { turn } = await assembled([start, ...said("Hi."), finish("stop"), call("c1", a)]);
    expect(runs(turn)).toEqual([]);
    expect(turn.anomalies.map(({ kind }) => kind)).toContain("after-finish");
  });

  test("leave calls to the provider that it runs itself", async () => {
    const { turn } = await assembled([
      start,
      { type: "tool-input-start", id: "p1", toolName: "web", providerExecuted: true },
      { type: "tool-input-delta", id: "p1", delta: a },
      call("p1", a, { providerExecuted: true }),
      ...inputOf("p2", a),
      call("p2", a, { providerExecuted: true }),
      ...said("Found."),
      finish("stop"),
    ]);
    expect(turn).toMatchObject({ calls: [], text: "Found.", finish: "stop", complete: true });
    expect(turn.anomalies.map(({ kind }) => kind)).toContain("server-tool");
  });

  test("are read whatever they are", async () => {
    const odd = [null, 5, "text", [], {}, { type: 5 }, { type: "toString" }, { type: "tool-call" }, { type: "file" }];
    const more = [
      { type: "reasoning-delta", delta: "Hm." },
      { type: "text-end" },
      { type: "finish" },
      { type: "ping" },
    ];
    const { turn } = await assembled([...odd, ...more]);
    expect(turn).toMatchObject({ reasoning: "Hm.", complete: false });
  });

  test.each<readonly [unknown, AssembledTurn["finish"]]>([
    [{ unified: "stop", raw: "end_turn" }, "stop"],
    [{ unified: "length", raw: "max_tokens" }, "length"],
    [{ unified: "content-filter", raw: "refusal" }, "content_filter"],
    [{ unified: "error", raw: "failed" }, "error"],
    [{ unified: "other", raw: "compaction" }, "error"],
    [{ unified: "other", raw: undefined }, null], // a stream that was cut, of which packages say so
    [{ unified: "interrupted", raw: undefined }, null],
    ["stop", "stop"],
    [undefined, "error"],
  ])("that end with %j end with %s", async (finishReason, expected) => {
    const { turn } = await assembled([start, ...said("Hi."), { type: "finish", finishReason }]);
    expect(turn.finish).toBe(expected);
  });

  test("say what was counted", async () => {
    const usage = {
      inputTokens: { total: 9, noCache: 4, cacheRead: 5, cacheWrite: undefined },
      outputTokens: { total: 7, text: 4, reasoning: 3 },
      raw: { prompt_tokens: 9 },
    };
    const counted = (given: unknown) =>
      assembled([{ type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: given }]);
    expect((await counted(usage)).turn.usage).toEqual({
      inputTokens: 9,
      outputTokens: 7,
      cachedInputTokens: 5,
      reasoningTokens: 3,
      raw: { prompt_tokens: 9 },
    });
    expect((await counted({ inputTokens: 9, outputTokens: 7 })).turn.usage).toEqual({
      inputTokens: 9,
      outputTokens: 7,
    });
    expect((await counted({ inputTokens: {}, outputTokens: {} })).turn.usage).toBeUndefined();
  });

  test("have files, by their bytes, and addresses in words", async () => {
    const file = (data: unknown): Part => ({ type: "file", mediaType: "image/png", data });
    const { turn } = await assembled([
      file("aGk="),
      file(new Uint8Array([104, 105])),
      file({ type: "data", data: "aGk=" }),
      file({ type: "url", url: new URL("https://example.org/a.png") }),
      finish("stop"),
    ]);
    const media = { type: "media", kind: "image", mediaType: "image/png", source: { type: "bytes", data: "aGk=" } };
    expect(turn.parts).toEqual([media, media, media, { type: "text", text: "[image: https://example.org/a.png]" }]);
  });
});

describe("what providers seal", () => {
  const google = { google: { thoughtSignature: "sig" } };

  test("stays with the thought of Anthropic, also where nobody may read it", async () => {
    const { turn } = await assembled([
      ...reasoning("0", {}, [
        { delta: "Let me " },
        { delta: "think." },
        { delta: "", providerMetadata: { anthropic: { signature: "sig" } } },
      ]),
      ...reasoning("1", { providerMetadata: { anthropic: { redactedData: "secret" } } }),
      finish("stop"),
    ]);
    expect(turn.parts).toEqual([
      { type: "reasoning", text: "Let me think.", seal: { owner: "anthropic", value: "sig" } },
      { type: "reasoning", text: "", seal: { owner: "anthropic", value: "secret" }, isRedacted: true },
    ]);
  });

  test("stays with the thought of OpenAI, which comes in paragraphs", async () => {
    const item = (value: string | null): Part => ({
      providerMetadata: { openai: { itemId: "rs_1", reasoningEncryptedContent: value } },
    });
    const { turn } = await assembled([
      ...reasoning("rs_1:0", item(null), [{ delta: "One." }], { providerMetadata: { openai: { itemId: "rs_1" } } }),
      ...reasoning("rs_1:1", item(null), [{ delta: "Two." }], item("gAAA")),
      finish("stop"),
    ]);
    const seal = { owner: "openai", value: "gAAA", id: "rs_1" };
    expect(turn.parts).toEqual([{ type: "reasoning", text: "One.\n\nTwo.", seal }]);
  });

  test("stays with the text, the thought and the call of Gemini, by whatever name it comes", async () => {
    const { turn } = await assembled([
      ...reasoning("0", {}, [{ delta: "Hm.", providerMetadata: google }]),
      { type: "text-start", id: "1", providerMetadata: google },
      { type: "text-delta", id: "1", delta: "Hello.", providerMetadata: google },
      { type: "text-end", id: "1" },
      { type: "text-start", id: "2" },
      { type: "text-delta", id: "2", delta: "More." },
      { type: "text-end", id: "2", providerMetadata: { googleVertex: { thoughtSignature: "end" } } },
      call("c1", a, { providerMetadata: { test: { thoughtSignature: "called" } } }),
      finish("tool-calls"),
    ]);
    const seal = (value: string) => ({ owner: "gemini", value });
    expect(turn.parts).toMatchObject([
      { type: "reasoning", text: "Hm.", seal: seal("sig") },
      { type: "text", text: "Hello.", seal: seal("sig") },
      { type: "text", text: "More." },
      { type: "text", text: "", seal: seal("end") },
      { type: "call", call: { seal: seal("called") } },
    ]);
  });

  test("stands on no other words than those that were sealed", async () => {
    const { turn } = await assembled([
      { type: "reasoning-start", id: "0" },
      { type: "reasoning-delta", id: "0", delta: "One " },
      { type: "reasoning-start", id: "1" },
      { type: "reasoning-delta", id: "1", delta: "Two " },
      { type: "reasoning-delta", id: "0", delta: "more one." },
      { type: "reasoning-delta", id: "0", delta: "", providerMetadata: { anthropic: { signature: "of 0" } } },
      { type: "reasoning-end", id: "0" },
      { type: "reasoning-end", id: "1", providerMetadata: { anthropic: { signature: "of 1" } } },
      finish("stop"),
    ]);
    expect(turn.parts).toEqual([
      { type: "reasoning", text: "One " },
      { type: "reasoning", text: "Two ", seal: { owner: "anthropic", value: "of 1" } },
      { type: "reasoning", text: "more one." },
    ]);
    expect(turn.reasoning).toBe("One Two more one.");
  });
});
