import { createOpenAI } from "@ai-sdk/openai";
import { check } from "#codecs";
import { createAgent, image, tool } from "#engine";
import { aiSdkModel } from "#model";
import type { AiSdkModelOptions, ModelRequest } from "#model";
import { memoryStore } from "#store";
import { wireServer } from "#testing";
import type { ScriptedTurn } from "#testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { aiSdkFamilies, modelOf } from "./ai-sdk-families.ts";
import type { AiSdkFamily } from "./ai-sdk-families.ts";
import { faultOf, hear } from "./asking.ts";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

const tools = [
  tool({
    name: "find",
    description: "Finds.",
    input: z.object({ title: z.string() }),
    execute: ({ title }) => ({ found: title, pages: 3 }),
  }),
  tool({
    name: "send",
    description: "Sends.",
    approval: true,
    input: z.object({ to: z.string() }),
    execute: ({ to }) => `sent to ${to}`,
  }),
  tool({ name: "look", description: "Looks.", execute: () => image(pixel, "image/png") }),
];

const sealed = (turn: ScriptedTurn, { seal }: AiSdkFamily): ScriptedTurn =>
  seal === undefined ? turn : { ...turn, seal };

describe.each(aiSdkFamilies)("an agent with a model of the AI SDK $name", (family) => {
  const { format, seal } = family;

  test("goes on where another server counts its thoughts anew", async () => {
    const store = memoryStore();
    for (const text of ["One.", "Two.", "Three."]) {
      const server = await wireServer({ turns: [sealed({ reasoning: "Let me think.", text }, family), { text }] });
      const agent = createAgent({ model: modelOf(family, server.baseUrl(format)), store });
      expect(await agent.thread("t").send("Count.").result).toMatchObject({ status: "done", text });
      expect(await agent.thread("t").send("Again.").result).toMatchObject({ status: "done", text });
      await agent.close();
      await server.close();
    }
  });

  test("goes through calls, approvals, rejections and thoughts, and is never refused", async () => {
    const server = await wireServer({
      turns: [
        sealed(
          {
            text: "I look.",
            reasoning: "Let me think.",
            calls: [
              { name: "find", arguments: { title: "Der Prozeß" } },
              { name: "send", arguments: { to: "Ann" } },
              { name: "send", arguments: { to: "Bob" } },
              { name: "look" },
            ],
          },
          family,
        ),
        sealed({ reasoning: "Again.", calls: [{ name: "find", raw: '{"title":' }, { name: "nothing" }] }, family),
        { text: "Done." },
        { text: "Bye." },
      ],
    });
    const thread = createAgent({
      model: modelOf(family, server.baseUrl(format)),
      instructions: "Be brief.",
      tools,
    }).thread("t");
    expect(await thread.send("Find it, and send it.").result).toMatchObject({ status: "waiting" });
    const [ann, bob] = await thread.pending();
    const decided = await thread.decide({
      [ann?.id ?? ""]: { type: "approve" },
      [bob?.id ?? ""]: { type: "reject", reason: "not him" },
    }).result;
    expect(decided.error).toBeUndefined();
    expect(decided).toMatchObject({ status: "done", text: "Done." });
    expect((await thread.calls()).map(({ name, status }) => `${name} ${status}`)).toEqual([
      "find succeeded",
      "send succeeded",
      "send rejected",
      "look succeeded",
      "find failed",
      "nothing failed",
    ]);
    expect(await thread.send("Bye.").result).toMatchObject({ status: "done", text: "Bye." });
    expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
    expect(check(await thread.history(format), { format })).toEqual([]);
    const last = JSON.stringify(server.requests.at(-1)?.body);
    const wrong = format === "gemini" ? "_raw" : "cut off"; // it has no arguments that are cut off, only wrong ones
    for (const words of ["Be brief.", "sent to Ann", "not him", wrong, "Done."]) expect(last).toContain(words);
    expect(last).toContain(seal ?? "Done.");
    await server.close();
  });

  test("tells a refusal by its code, in the words of the provider", async () => {
    const turn = (status: number, message: string, headers = {}): ScriptedTurn => ({
      error: { status, message, headers },
    });
    const errors = [
      turn(429, "Slow down, please.", { "retry-after": "120" }),
      turn(401, "Who are you?"),
      turn(400, "maximum context length is 10 tokens"),
      turn(404, "No such model."),
    ];
    const server = await wireServer({ turns: () => errors.shift() ?? { text: "Hello." } });
    const model = modelOf(family, server.baseUrl(format), { retries: 0 });
    const found = [];
    for (let i = 0; i < 4; i++) found.push(faultOf(await hear(model)));
    expect(found.map(({ code }) => code)).toEqual([
      "model/rate-limit",
      "model/auth",
      "model/context-overflow",
      "model/refused",
    ]);
    expect(found[0]?.data).toMatchObject({ model: model.name, status: 429, retryAfter: 120_000, canRetry: true });
    expect(found.map(({ message }) => message).join(" ")).toMatch(
      /Slow down.*Who are you.*maximum context.*No such model/u,
    );
    expect((await hear(model)).turn).toMatchObject({ text: "Hello.", finish: "stop" });
    await server.close();
  });

  test("asks again after what is over soon, and says so", async () => {
    const turns: ScriptedTurn[] = [
      { error: { status: 503, message: "Busy." } },
      { text: "Half an answer, then nothing", faults: ["cut"] },
      { text: "Whole." },
    ];
    const server = await wireServer({ turns: () => turns.shift() ?? {} });
    const { parts, turn } = await hear(modelOf(family, server.baseUrl(format)));
    expect(turn).toMatchObject({ text: "Whole.", complete: true });
    expect(parts.join("")).toContain("<discarded>Whole.");
    await server.close();
  });

  test("says that nobody is there", async () => {
    const error = faultOf(await hear(modelOf(family, "http://127.0.0.1:9", { retries: 1 })));
    expect(error.code).toBe("model/unreachable");
  });

  test.each([
    ["before it answers", { text: "Late.", delay: 5000 }],
    ["while it answers", { text: "A long answer, piece by piece, until somebody stops it.", pace: 50 }],
  ])("stops at once, %s", async (_, turn) => {
    const server = await wireServer({ turns: [turn] });
    const controller = new AbortController();
    const heard = hear(modelOf(family, server.baseUrl(format)), { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 100);
    expect((await heard).error).toMatchObject({ message: "enough" });
    await server.close();
  });

  test("gives up a provider that falls silent", async () => {
    const server = await wireServer({ turns: [{ text: "Late.", delay: 5000 }] });
    const model = modelOf(family, server.baseUrl(format), { retries: 0, timeouts: { connect: 50 } });
    expect(faultOf(await hear(model))).toMatchObject({ code: "model/timeout", data: { phase: "connect" } });
    await server.close();
  });

  test("counts what the provider counted", async () => {
    const usage = {
      "openai-chat": { prompt_tokens: 11, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 5 } },
      "openai-responses": { input_tokens: 11, output_tokens: 7, input_tokens_details: { cached_tokens: 5 } },
      anthropic: { input_tokens: 6, output_tokens: 7, cache_read_input_tokens: 5 },
      gemini: { promptTokenCount: 11, candidatesTokenCount: 7, cachedContentTokenCount: 5 },
    }[format];
    const server = await wireServer({ turns: [{ text: "Hello.", usage }] });
    const { turn } = await hear(modelOf(family, server.baseUrl(format)));
    expect(turn?.usage).toMatchObject({ inputTokens: 11, outputTokens: 7, cachedInputTokens: 5 });
    await server.close();
  });
});

describe("a thread that goes from one package to another", () => {
  test("is taken by each of them, with the thoughts of each for its owner alone", async () => {
    const server = await wireServer({
      turns: ({ body, format }) => {
        const text = JSON.stringify(body);
        const isAnswered = /found/u.test(text.slice(text.lastIndexOf(`from ${format}`)));
        const seal = format === "openai-responses" ? "gAAAAABopenai" : `${format}Seal`;
        return isAnswered
          ? { text: `Answer of ${format}.` }
          : {
              text: "I look.",
              reasoning: `Thought from ${format}.`,
              seal,
              calls: [{ name: "find", arguments: { title: "x" } }],
            };
      },
    });
    let current = aiSdkFamilies[0];
    const agent = createAgent({
      model: {
        name: "any",
        stream: (request: ModelRequest) => {
          if (current === undefined) throw new Error("there is no family");
          return modelOf(current, server.baseUrl(current.format)).stream(request);
        },
      },
      tools,
    });
    const thread = agent.thread("t");
    for (const family of [...aiSdkFamilies, ...aiSdkFamilies.toReversed()]) {
      current = family;
      const { status, error } = await thread.send(`Find x, asked from ${family.format}.`).result;
      expect({ name: family.name, status, error }).toEqual({ name: family.name, status: "done", error: undefined });
    }
    expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
    const owners = { anthropicSeal: "anthropic", geminiSeal: "gemini", gAAAAABopenai: "openai-responses" };
    for (const [seal, owner] of Object.entries(owners)) {
      const seen = server.requests.filter(({ body }) => JSON.stringify(body).includes(seal));
      expect(new Set(seen.map(({ format }) => format))).toEqual(new Set([owner]));
    }
    await server.close();
  });
});

describe("what a model of the AI SDK is asked", () => {
  /** The body of the one request that a question leads to. */
  async function asked(family: AiSdkFamily, given: Partial<ModelRequest>, options: AiSdkModelOptions = {}) {
    const server = await wireServer();
    const { error } = await hear(modelOf(family, server.baseUrl(family.format), options), given);
    await server.close();
    expect(error).toBeUndefined();
    return server.requests[0]?.body ?? {};
  }
  const named = (name: string): AiSdkFamily => {
    const found = aiSdkFamilies.find((family) => family.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };
  const schema = { type: "object", properties: { x: { type: "string" } } };
  const offered = [{ name: "find", description: "Finds.", schema }];
  const seen = (source: { type: "bytes"; data: string } | { type: "url"; url: string }): Partial<ModelRequest> => ({
    messages: [
      {
        role: "user",
        path: "",
        name: undefined,
        parts: [
          { type: "text", path: "", text: "What is this?" },
          { type: "media", path: "", kind: "image", mediaType: "image/png", source },
        ],
      },
    ],
  });

  test.each(aiSdkFamilies)("holds pictures, by $name", async (family) => {
    expect(JSON.stringify(await asked(family, seen({ type: "bytes", data: pixel })))).toContain(pixel);
    const url = "https://example.org/a.png";
    expect(JSON.stringify(await asked(family, seen({ type: "url", url })))).toContain(url);
  });

  test("is the choice of a tool, and one call at a time", async () => {
    const choice = { tools: offered, toolChoice: { tool: "find" }, parallelCalls: false } as const;
    expect(await asked(named("7, openai chat"), choice)).toMatchObject({
      tool_choice: { type: "function", function: { name: "find" } },
      parallel_tool_calls: false,
    });
    expect(await asked(named("7, anthropic"), choice)).toMatchObject({
      tool_choice: { type: "tool", name: "find", disable_parallel_tool_use: true },
    });
    expect(await asked(named("6, anthropic"), { tools: offered }, { parallelCalls: false })).toMatchObject({
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
    });
  });

  test("is the form of the answer where the provider takes it beside tools, or where it is told to", async () => {
    const strict = { ...schema, required: ["x"], additionalProperties: false };
    const output = { tools: offered, output: strict };
    const format = { type: "json_schema", name: "answer", schema: strict, strict: true };
    expect(await asked(named("7, openai responses"), output)).toMatchObject({ text: { format } });
    const loose = { ...format, schema, strict: false };
    expect(await asked(named("7, openai responses"), { output: schema })).toMatchObject({ text: { format: loose } });
    expect(await asked(named("7, openai responses"), { ...output, output: schema })).not.toHaveProperty("text.format");
    expect(await asked(named("6, openai chat"), output)).toMatchObject({ response_format: { type: "json_schema" } });
    expect(await asked(named("7, google"), output)).not.toHaveProperty("generationConfig.responseMimeType");
    expect(await asked(named("7, google"), { output: schema }, { structuredOutput: true })).toHaveProperty(
      "generationConfig.responseMimeType",
      "application/json",
    );
    expect(await asked(named("7, openai chat"), output, { structuredOutput: false })).not.toHaveProperty(
      "response_format",
    );
  });

  test("is what the options say, those for the provider last", async () => {
    const options = { maxTokens: 50, temperature: 0.5, topP: 0.9, stop: ["END"], seed: 7, headers: { "x-test": "1" } };
    expect(await asked(named("7, openai chat"), {}, options)).toMatchObject({
      max_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      stop: ["END"],
      seed: 7,
    });
    const own = { openai: { parallelToolCalls: true, user: "ann" } };
    const body = await asked(
      named("7, openai chat"),
      { tools: offered, parallelCalls: false },
      { providerOptions: own },
    );
    expect(body).toMatchObject({ parallel_tool_calls: true, user: "ann" });
  });

  test("keeps nothing with OpenAI, unless it is told to", async () => {
    expect(await asked(named("7, openai responses"), {})).toMatchObject({ store: false });
    const kept = { providerOptions: { openai: { store: true } } };
    expect(await asked(named("7, openai responses"), {}, kept)).not.toMatchObject({ store: false });
  });

  test("has instructions first, wherever they stood", async () => {
    const text = (words: string) => [{ type: "text", path: "", text: words }] as const;
    const messages: ModelRequest["messages"] = [
      { role: "user", path: "", name: undefined, parts: text("Hello.") },
      { role: "system", path: "", parts: text("Be kind."), isDeveloper: false },
      { role: "user", path: "", name: undefined, parts: text("") },
    ];
    const body = JSON.stringify(await asked(named("7, anthropic"), { messages, system: text("Be brief.") }));
    expect(body).toMatch(/Be brief.*Be kind.*Hello.*\(continued\)/u);
  });

  test("has ids that any provider takes, the same for a call and its result", async () => {
    const id = "functions.find:0";
    const messages: ModelRequest["messages"] = [
      { role: "user", path: "", name: undefined, parts: [{ type: "text", path: "", text: "Go." }] },
      {
        role: "assistant",
        path: "",
        parts: [{ type: "call", path: "", id, name: "find", input: { value: {} }, isCustom: false }],
      },
      { role: "tool", path: "", results: [{ path: "", id, name: "find", parts: [], isError: false }] },
    ];
    const body = JSON.stringify(await asked(named("7, anthropic"), { messages, tools: offered }));
    expect(body).not.toContain(id);
    const ids = [...body.matchAll(/"(?:tool_use_)?id":"(call_[0-9a-f]+)"/gu)].map(([, found]) => found);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });
});

describe("wrong input of aiSdkModel", () => {
  const model = createOpenAI({ apiKey: "none" })("gpt-5.1");
  const make = aiSdkModel as (...given: readonly unknown[]) => unknown; // as programs without types call it

  test("models of both versions are taken, under the name of their package", () => {
    expect(aiSdkModel(model).name).toBe("openai/gpt-5.1");
    expect(aiSdkModel(model, { name: "mine" }).name).toBe("mine");
  });

  test.each<readonly [string, readonly unknown[], string]>([
    ["the name of a model", ["openai/gpt-5.1"], "options/value"],
    ["nothing", [], "options/value"],
    ["a model of an older version", [{ ...model, specificationVersion: "v2" }], "options/value"],
    ["an option that does not exist", [model, { maxOutputTokens: 5 }], "options/unknown"],
    ["a key, which the package has", [model, { apiKey: "x" }], "options/unknown"],
    ["options for a provider that are none", [model, { providerOptions: { openai: "high" } }], "options/value"],
    ["an answer to no question", [model, { structuredOutput: "yes" }], "options/value"],
    ["no options", [model, "fast"], "options/value"],
  ])("%s is refused", (_, given, code) => {
    expect(() => make(...given)).toThrow(expect.objectContaining({ code }));
  });

  test("a key that is missing is told as such", async () => {
    const keyless = createOpenAI({ apiKey: undefined as unknown as string, baseURL: "http://127.0.0.1:9" })("gpt-5.1");
    const { OPENAI_API_KEY: before } = process.env;
    delete process.env["OPENAI_API_KEY"];
    const error = faultOf(await hear(aiSdkModel(keyless)));
    if (before !== undefined) process.env["OPENAI_API_KEY"] = before;
    expect(error).toMatchObject({ code: "model/auth", data: { canRetry: false } });
    expect(error.message).toContain("OPENAI_API_KEY");
  });
});
