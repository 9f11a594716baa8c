import * as ai7 from "ai";
import * as ai6 from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import { MockLanguageModelV4 } from "ai/test";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { undangleModel } from "../../src/adapters/ai-sdk.ts";
import { call, cutTurns, finish, healthyTurns, inputOf, mendedTurns, said, start, usage } from "./model-turns.ts";

beforeAll(() => {
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
});

type Part = Readonly<Record<string, unknown>>;

const done = [start, ...said("Done."), finish("stop")];

const streamOf = (parts: readonly unknown[]): ReadableStream<unknown> => ReadableStream.from(parts);

/** A model that says this, and in the next step that it is done. Damaged parts have no type of the SDK. */
function scripted(parts: readonly Part[]): { doStream: unknown; doGenerate: unknown; prompts: unknown[] } {
  const prompts: unknown[] = [];
  const next = (prompt: unknown) => (prompts.push(prompt) === 1 ? parts : done);
  return {
    prompts,
    doStream: async ({ prompt }: { prompt: unknown }) => ({ stream: streamOf(next(prompt)) }),
    doGenerate: async ({ prompt }: { prompt: unknown }) => answerOf(next(prompt)),
  };
}

/** The same turn as an answer that is not streamed. */
const answerOf = (parts: readonly Part[]) => ({
  content: parts.flatMap((part): Part[] => {
    if (part["type"] === "text-delta") return [{ type: "text", text: part["delta"] }];
    return /^tool-(?:call|result)$/u.test(String(part["type"])) ? [part] : [];
  }),
  finishReason: parts.find(({ type }) => type === "finish")?.["finishReason"] ?? { unified: "other", raw: undefined },
  usage,
  warnings: [],
});

/** What became of a turn. */
interface Outcome {
  readonly runs: readonly string[];
  readonly ids: readonly unknown[];
  readonly text: string;
  readonly finishReason: string;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly prompts: readonly unknown[];
}

type Run = (parts: readonly Part[], wrapped: boolean) => Promise<Outcome>;

const inputSchema = z.object({ query: z.string().default("nothing") });

/** A tool that notes how often it is run, and for what. */
const noting = (runs: string[]) => ({
  inputSchema,
  execute: ({ query }: { query: string }) => {
    runs.push(query);
    return `found ${query}`;
  },
});

// The program is the same in both versions; that their own types take the middleware is shown at the end.
const sdk6 = ai6 as unknown as typeof ai7;

const versions = [
  { version: "ai 6", sdk: sdk6, modelOf: (script: object) => new MockLanguageModelV3(script) },
  { version: "ai 7", sdk: ai7, modelOf: (script: object) => new MockLanguageModelV4(script) },
];

const programs = versions.flatMap(({ version, sdk, modelOf }) => {
  const setUp = (parts: readonly Part[], wrapped: boolean) => {
    const { prompts, ...script } = scripted(parts);
    const model = modelOf(script);
    const runs: string[] = [];
    // The SDK's own tools are no tools to it where optional is not the same as undefined.
    const tools = { search: sdk.tool(noting(runs)) } as unknown as ai7.ToolSet;
    return {
      runs,
      prompts,
      settings: {
        model: wrapped ? sdk.wrapLanguageModel({ model, middleware: undangleModel({ logger: false }) }) : model,
        prompt: "Go.",
        tools,
        stopWhen: sdk.stepCountIs(2),
      },
    };
  };
  const streamed: Run = async (parts, wrapped) => {
    const { runs, prompts, settings } = setUp(parts, wrapped);
    const errors: string[] = [];
    const result = sdk.streamText({ ...settings, onError: ({ error }) => void errors.push(String(error)) });
    await result.consumeStream();
    return { ...outcomeOf(await result.steps), runs, prompts, errors };
  };
  const generated: Run = async (parts, wrapped) => {
    const { runs, prompts, settings } = setUp(parts, wrapped);
    const { steps } = await sdk.generateText(settings);
    return { ...outcomeOf(steps), runs, prompts, errors: [] };
  };
  return [
    { program: `streamText of ${version}`, streams: true, run: streamed },
    { program: `generateText of ${version}`, streams: false, run: generated },
  ];
});

/** What the first step came to. */
const outcomeOf = ([first]: readonly ai7.StepResult<ai7.ToolSet>[]) => ({
  ids: first?.toolCalls.map(({ toolCallId }) => toolCallId) ?? [],
  text: first?.text ?? "",
  finishReason: first?.finishReason ?? "",
  warnings: first?.warnings?.map((warning) => JSON.stringify(warning)) ?? [],
});

describe.each(programs)("$program", ({ streams, run }) => {
  test.each(Object.entries(mendedTurns))("%s: goes wrong, and right with the middleware", async (_, turn) => {
    expect(await run(turn.parts, false)).toMatchObject(turn.without as object);
    const { runs, ids, finishReason, errors, warnings, prompts } = await run(turn.parts, true);
    expect(runs).toEqual(turn.runs);
    expect(new Set(ids).size).toBe(turn.runs.length);
    expect(ids.every((id) => typeof id === "string" && id.trim() !== "")).toBe(true);
    expect({ finishReason, errors, warnings }).toEqual({ finishReason: "tool-calls", errors: [], warnings: [] });
    expect(prompts).toHaveLength(2); // the results went back to the model
  });

  test.each(Object.entries(cutTurns))(
    "a turn %s: none of its calls comes through, and it is said why",
    async (name, turn) => {
      if (!streams && /broken|hole/u.test(name)) return; // an answer that is not streamed comes as a whole
      const { runs, ids, text, errors, warnings, prompts } = await run(turn.parts, true);
      expect({ runs, ids, text }).toEqual({ runs: [], ids: [], text: "Hi." });
      expect([...errors, ...warnings].join()).toContain(`The model's response is incomplete: ${turn.why}.`);
      expect(prompts).toHaveLength(1);
    },
  );

  test("without it, calls of a turn that was cut are presented as calls", async () => {
    const { ids, errors } = await run(cutTurns["out of tokens"]?.parts ?? [], false);
    expect({ ids, errors }).toEqual({ ids: ["c1"], errors: [] });
  });

  test.each(Object.entries(healthyTurns))("%s: is as it was", async (_, parts) => {
    expect(await run(parts, true)).toEqual(await run(parts, false));
  });
});

describe("a stream", () => {
  const prompt = [{ role: "user", content: [{ type: "text", text: "Go." }] }];

  /** The parts that come out of the middleware. */
  async function pass(parts: readonly unknown[], params: object = {}): Promise<unknown[]> {
    const doStream = async () => ({ stream: streamOf(parts) });
    const { stream } = await undangleModel({ logger: false }).wrapStream({ doStream, params: { prompt, ...params } });
    const passed: unknown[] = [];
    for await (const part of stream) passed.push(part);
    return passed;
  }

  test.each(Object.entries(healthyTurns))("%s: gives the very same parts in the same order", async (_, parts) => {
    const passed = await pass(parts);
    expect(passed).toEqual(parts);
    expect(passed.every((part, i) => part === parts[i])).toBe(true);
  });

  test("passes text, reasoning and inputs at once, and calls with the end of the turn", async () => {
    const { readable, writable } = new TransformStream<unknown, unknown>();
    const doStream = async () => ({ stream: readable });
    const { stream } = await undangleModel({ logger: false }).wrapStream({ doStream, params: { prompt } });
    const writer = writable.getWriter();
    const reader = stream.getReader();
    void writer.write(call("c1", "{}"));
    for (const part of [...said("I look."), ...inputOf("c2", "{}"), { type: "reasoning-start", id: "r" }]) {
      void writer.write(part);
      expect((await reader.read()).value).toBe(part);
    }
    void writer.write(finish("tool-calls"));
    expect((await reader.read()).value).toEqual(call("c1", "{}"));
    expect((await reader.read()).value).toEqual(finish("tool-calls"));
  });

  test("asks for parts as they are read, and tells the model that nobody reads any more", async () => {
    let asked = 0;
    let reason: unknown;
    const source = new ReadableStream<unknown>(
      { pull: (controller) => controller.enqueue(said(String(asked++))[1]), cancel: (why) => void (reason = why) },
      { highWaterMark: 0 },
    );
    const doStream = async () => ({ stream: source });
    const { stream } = await undangleModel({ logger: false }).wrapStream({ doStream, params: { prompt } });
    const reader = stream.getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(asked).toBeLessThan(4);
    await reader.cancel("stopped");
    await vi.waitFor(() => expect(reason).toBe("stopped"));
  });

  test("that fails, fails with its own error, and no call comes before it", async () => {
    async function* failing(): AsyncGenerator {
      yield* [start, call("c1", "{}")];
      throw new DOMException("stopped", "AbortError");
    }
    const doStream = async () => ({ stream: ReadableStream.from(failing()) });
    const { stream } = await undangleModel({ logger: false }).wrapStream({ doStream, params: { prompt } });
    const reader = stream.getReader();
    expect((await reader.read()).value).toBe(start);
    await expect(reader.read()).rejects.toThrow("stopped");
  });

  test("gives ids that are always the same, that the prompt does not have, and that the inputs share", async () => {
    const parts = [
      start,
      ...inputOf("", "{}"),
      call("", "{}"),
      ...inputOf(" ", "{}"),
      call(null, "{}"),
      finish("stop"),
    ];
    const idOf = (part: unknown) => (part as Part)["toolCallId"] ?? (part as Part)["id"];
    const ids = (await pass(parts)).map(idOf);
    expect((await pass(parts)).map(idOf)).toEqual(ids);
    const [, first, , , second] = ids;
    expect(ids).toEqual([undefined, first, first, first, second, second, second, first, second, undefined]);
    const toolCall = { ...call(first, {}), toolCallId: first };
    const [, later] = (await pass(parts, { prompt: [{ role: "assistant", content: [toolCall] }] })).map(idOf);
    expect([first, second]).not.toContain(later);
  });

  test("gives a call an id of its own where the prompt has it already, from the first part on", async () => {
    const parts = [...inputOf("c1", "{}"), call("c1", "{}"), finish("tool-calls")];
    const passed = await pass(parts, { prompt: [{ role: "assistant", content: [call("c1", {})] }] });
    expect(JSON.stringify(passed)).not.toContain('"c1"');
    expect(new Set(passed.slice(0, 4).map((part) => (part as Part)["toolCallId"] ?? (part as Part)["id"])).size).toBe(
      1,
    );
  });

  test("leaves JSON in the input of a tool that takes text", async () => {
    const parts = [start, call("c1", JSON.stringify('{"a":1}')), finish("tool-calls")];
    const custom = { type: "provider", name: "search", id: "openai.custom", args: {} };
    const free = { type: "function", name: "search", inputSchema: { type: "string" } };
    for (const tool of [custom, free]) expect(await pass(parts, { tools: [tool] })).toEqual(parts);
    const plain = { type: "function", name: "search", inputSchema: { type: "object" } };
    expect((await pass(parts, { tools: [plain] }))[1]).toEqual(call("c1", '{"a":1}'));
  });

  test("keeps what the provider said of the end, in older streams too", async () => {
    expect((await pass([call("c1", "{}"), finish("stop", "eos")])).at(-1)).toEqual(finish("tool-calls", "eos"));
    const older = { type: "finish", finishReason: "stop", usage };
    expect((await pass([call("c1", "{}"), older])).at(-1)).toEqual({ ...older, finishReason: "tool-calls" });
  });

  test("holds what speaks of a call behind it", async () => {
    const request = { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1" };
    const parts = [call("c1", "{}"), request, finish("tool-calls")];
    expect(await pass(parts)).toEqual(parts);
    expect(await pass([call("c1", "{}"), request, finish("length")])).toHaveLength(2);
  });
});

describe("an answer", () => {
  test.each(Object.entries(healthyTurns))("%s: is the same reference", async (_, parts) => {
    const answer = answerOf(parts);
    const doGenerate = async () => answer;
    expect(await undangleModel({ logger: false }).wrapGenerate({ doGenerate, params: { prompt: [] } })).toBe(answer);
  });
});
