import { createOpenAI } from "@ai-sdk/openai";
import { createAgent, image, tool } from "undangle/agent";
import { aiSdkModel, anthropic, ollama, openai, openaiCompatible } from "undangle/models";
import type { HttpModelOptions, Model } from "undangle/models";
import { memoryStore } from "undangle/store/memory";
import { wireServer } from "undangle/testing";
import type { ScriptedTurn, WireRequest } from "undangle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

import { faultOf, hear } from "./asking.ts";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const usual: HttpModelOptions = { apiKey: "none", retryDelay: 1, env: {} };

const refusal = (message: string, status = 400): ScriptedTurn => ({ error: { status, message } });

const compatible =
  (provider: string | undefined, id: string, options: HttpModelOptions = {}) =>
  (baseURL: string) =>
    openaiCompatible({ ...usual, provider, baseURL, ...options })(id);

/** A server of the chat format that answers a request as it is. */
async function served(make: (baseURL: string) => Model, answer: (request: WireRequest) => ScriptedTurn) {
  const server = await wireServer({ turns: answer, strict: false });
  return { server, model: make(server.baseUrl("openai-chat")) };
}

const textOf = ({ body }: WireRequest): string => JSON.stringify(body);

/** Speaks to an agent, and gives what the person was warned of. */
async function warnings(
  thread: ReturnType<ReturnType<typeof createAgent>["thread"]>,
  input: Parameters<typeof thread.send>[0],
) {
  const told: string[] = [];
  const run = thread.send(input);
  for await (const { type, data } of run) if (type === "warning") told.push(data.message);
  return { told, end: await run.result };
}

const picture = [{ type: "text", text: "What is it?" } as const, image(png, "image/png")];

describe("a picture that a model cannot look at", () => {
  test.each([
    ["DeepSeek", 400, "Failed to deserialize the JSON body: messages[0]: unknown variant `image_url`, expected `text`"],
    ["OpenRouter", 404, "No endpoints found that support image input"],
    ["OpenAI", 400, "Invalid content type. image_url is only supported by certain models."],
    ["LM Studio", 400, "Model does not support images. Please use a model that does."],
    ["Ollama", 400, "this model does not support image input (ref: b8bd630e)"],
    [
      "llama.cpp",
      500,
      "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
    ],
    ["vLLM", 400, "Qwen/Qwen3-8B is not a multimodal model"],
    ["Zhipu", 400, "messages.content.type 参数非法，取值范围 ['text']"],
    [
      "Groq",
      400,
      "'messages.0' : for 'role:user' the following must be satisfied[('messages.0.content' : value must be a string)]",
    ],
    ["Mistral", 400, "Image input is not enabled for this model"],
  ])("is told it in words when %s refuses it, and not shown to it again", async (_name, status, message) => {
    const { server, model } = await served(compatible(undefined, "some-model"), (request) =>
      textOf(request).includes(png) ? refusal(message, status) : { text: "I see." },
    );
    const store = memoryStore();
    const agent = createAgent({ model, store });
    const first = await warnings(agent.thread("t"), picture);
    const second = await warnings(agent.thread("t"), "And now?");
    const third = await warnings(agent.thread("other"), picture);
    await server.close();
    expect([first.end.status, first.end.text]).toEqual(["done", "I see."]);
    const told = ["The model compatible/some-model accepts only text. Short descriptions replace images and files."];
    expect([first.told, second.told, third.told]).toEqual([told, [], told]);
    expect(server.requests.map((request) => textOf(request).includes(png))).toEqual([true, false, false, false]);
    expect(textOf(server.requests.at(-1) as WireRequest)).toContain("[image: image/png]"); // there are four
  });

  test("is told to the person, where the model is known not to see it", async () => {
    const { server, model } = await served(compatible("deepseek", "deepseek-chat"), () => ({ text: "I see." }));
    const agent = createAgent({ model });
    const first = await warnings(agent.thread("t"), picture);
    const second = await warnings(agent.thread("t"), "And now?");
    await server.close();
    expect([first.told.length, second.told.length, server.requests.length]).toEqual([1, 0, 2]);
    expect(textOf(server.requests[1] as WireRequest)).not.toContain(png); // there are two
  });

  test("is not sent to a model of which its user says that it takes only text", async () => {
    const { server, model } = await served(compatible(undefined, "m", { media: false }), () => ({ text: "I see." }));
    const { told, end } = await warnings(createAgent({ model }).thread("t"), picture);
    await server.close();
    expect([end.status, told, server.requests.length]).toEqual(["done", [], 1]);
    expect(textOf(server.requests[0] as WireRequest)).toContain("[image: image/png]"); // there is one
  });

  test.each([
    "You uploaded an unsupported image. Please make sure your image is valid.",
    "Invalid image: the image size exceeds 5 MB maximum",
    "image format is not supported: image/tiff",
  ])("is an error where it is the picture that is wrong: %s", async (message) => {
    const { server, model } = await served(compatible(undefined, "m"), () => refusal(message));
    const end = await createAgent({ model }).thread("t").send(picture).result;
    await server.close();
    expect([end.status, end.error?.code, server.requests.length]).toEqual(["failed", "model/refused", 1]);
  });

  test("is told in words to a model of the AI SDK too", async () => {
    const { server, model } = await served(
      (baseURL) => aiSdkModel(createOpenAI({ baseURL, apiKey: "none" }).chat("some-model"), { retryDelay: 1 }),
      (request) =>
        textOf(request).includes(png) ? refusal("this model does not support image input") : { text: "Hm." },
    );
    const agent = createAgent({ model });
    const first = await warnings(agent.thread("t"), picture);
    const second = await warnings(agent.thread("t"), "And now?");
    await server.close();
    expect([first.end.text, first.told.length, second.told.length]).toEqual(["Hm.", 1, 0]);
    expect(server.requests.map((request) => textOf(request).includes(png))).toEqual([true, false, false]);
  });

  test("of two requests at once that are refused, both are made again", async () => {
    const { server, model } = await served(compatible(undefined, "m"), (request) =>
      textOf(request).includes(png)
        ? { ...refusal("Image input is not enabled for this model"), delay: 30 }
        : { text: "Hm." },
    );
    const agent = createAgent({ model });
    const ends = await Promise.all(["a", "b"].map((id) => agent.thread(id).send(picture).result));
    await server.close();
    expect(ends.map(({ text }) => text)).toEqual(["Hm.", "Hm."]);
    expect(server.requests.length).toBe(4);
  });

  test("leaves refusals of requests without one alone", async () => {
    const { server, model } = await served(compatible(undefined, "m"), () =>
      refusal("this model does not support image input"),
    );
    const heard = await hear(model);
    await server.close();
    expect([faultOf(heard).code, server.requests.length]).toEqual(["model/refused", 1]);
  });
});

const tools = [{ name: "add", description: "Adds.", schema: { type: "object", properties: {} } }];
const calls: ScriptedTurn = { calls: [{ name: "add", arguments: {} }] };

describe("a call that is to be made", () => {
  test.each<[provider: string, id: string, choice: unknown, fields: Readonly<Record<string, unknown>>]>([
    ["deepseek", "deepseek-chat", "required", { thinking: { type: "disabled" } }],
    ["moonshot", "kimi-k2.6", "required", { thinking: { type: "disabled" } }],
    ["moonshot", "kimi-k2-thinking", "auto", {}],
    ["moonshot", "kimi-k2-0905-preview", "required", {}],
    ["dashscope", "qwen3-max", "required", { enable_thinking: false }],
    ["dashscope", "qwen3-235b-a22b-thinking-2507", "auto", {}],
    ["zhipu", "glm-4.6", "auto", {}],
    ["minimax", "MiniMax-M2", "auto", {}],
    ["groq", "openai/gpt-oss-120b", "required", {}],
  ])("is forced by %s, %s, as far as that goes", async (provider, id, choice, fields) => {
    const { server, model } = await served(compatible(provider, id), () => calls);
    const { turn, parts } = await hear(model, { tools, toolChoice: "required" });
    await server.close();
    const body = server.requests[0]?.body;
    expect(turn?.calls.map(({ name }) => name)).toEqual(["add"]);
    expect(body).toMatchObject({ tool_choice: choice, ...fields });
    const isAsked = JSON.stringify(body).includes(
      "For this request, respond with a call of one of the tools, not with text.",
    );
    expect([isAsked, parts.includes("<warning>")]).toEqual([choice === "auto", choice === "auto"]);
  });

  test("is asked for in words of Ollama, whose requests have no place for a choice; where none is wanted it has no tools", async () => {
    const server = await wireServer({ turns: [calls, { text: "Three." }], strict: false });
    const model = ollama("qwen3:8b", { ...usual, baseURL: server.baseUrl("ollama") });
    const forced = await hear(model, { tools, toolChoice: "required" });
    const none = await hear(model, { tools, toolChoice: "none" });
    await server.close();
    const [first, second] = server.requests.map(({ body }) => body);
    expect(JSON.stringify(first)).toContain("with a call of one of the tools, not with text");
    expect([forced.parts[0], none.parts.includes("<warning>")]).toEqual(["<warning>", false]);
    expect(second).toMatchObject({ tools: [] });
  });

  test("is asked for in words when it is refused, and from then on", async () => {
    const { server, model } = await served(compatible(undefined, "m"), ({ body }) =>
      body["tool_choice"] === "auto"
        ? calls
        : refusal('tool_choice is one of the strings that should be ["none", "auto"]'),
    );
    const first = await hear(model, { tools, toolChoice: { tool: "add" } });
    const second = await hear(model, { tools, toolChoice: { tool: "add" } });
    await server.close();
    expect([first.turn?.calls.length, second.turn?.calls.length]).toEqual([1, 1]);
    expect(server.requests.length).toBe(3);
    expect(JSON.stringify(server.requests[2]?.body)).toContain("with a call of the tool add, not with text");
    expect([first.parts[0], second.parts[0]]).toEqual(["<warning>", "<warning>"]);
  });

  test("is told when it costs the thoughts that were asked for", async () => {
    const server = await wireServer({ turns: [calls, calls], strict: false });
    const options = { ...usual, reasoning: "low" } as const;
    const claude = anthropic("claude-sonnet-4-5", { ...options, baseURL: server.baseUrl("anthropic") });
    const { parts } = await hear(claude, { tools, toolChoice: "required" });
    const plain = await hear(claude, { tools });
    await server.close();
    expect([parts[0], plain.parts.includes("<warning>")]).toEqual(["<warning>", false]);
  });
});

describe("a description that is too long", () => {
  test("is cut for a server that refuses it, and whole for all others", async () => {
    const long = `Adds. ${"x".repeat(2000)}`;
    const message =
      "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 2006 instead.";
    const { server, model } = await served(
      (baseURL) => openai("gpt-4.1", { ...usual, api: "chat", baseURL }),
      (request) => (textOf(request).includes(long) ? refusal(message) : { text: "Hi." }),
    );
    const adding = tool({ name: "add", description: long, input: z.object({}), execute: () => 1 });
    const agent = createAgent({ model, tools: [adding] });
    const first = await warnings(agent.thread("t"), "Hello.");
    const second = await warnings(agent.thread("t"), "Again.");
    await server.close();
    expect([first.end.status, first.told.length, second.told.length]).toEqual(["done", 1, 0]);
    expect(server.requests.map(({ body }) => JSON.stringify(body["tools"]).includes("x".repeat(1025)))).toEqual([
      true,
      false,
      false,
    ]);
  });
});
