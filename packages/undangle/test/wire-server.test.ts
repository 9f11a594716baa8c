import Anthropic from "@anthropic-ai/sdk";
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
import { GoogleGenAI } from "@google/genai";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { streamFormats } from "#codecs";
import { explain, rules } from "undangle";
import { afterEach, describe, expect, test } from "vitest";
import { wireServer } from "undangle/testing";
import type { ScriptedTurn, WireServer, WireServerOptions } from "undangle/testing";
import { broken } from "./fixtures/broken.ts";
import { healthy } from "./fixtures/healthy.ts";

let server: WireServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(options: WireServerOptions): Promise<WireServer> {
  server = await wireServer(options);
  return server;
}

const turn: ScriptedTurn = {
  text: "Let me look. 我看看 👀",
  calls: [
    { id: "call_1", name: "get_weather", arguments: { city: "Zürich", days: [1, 2] } },
    { id: "call_2", name: "get_time", arguments: { zone: "CET" } },
  ],
};

/** What an SDK made of the turn. */
interface Heard {
  readonly text: string;
  readonly calls: readonly { readonly id: string | undefined; readonly name: string; readonly arguments: unknown }[];
}

const told: Heard = {
  text: turn.text ?? "",
  calls: [
    { id: "call_1", name: "get_weather", arguments: { city: "Zürich", days: [1, 2] } },
    { id: "call_2", name: "get_time", arguments: { zone: "CET" } },
  ],
};

describe("real SDKs do not notice that it is no provider", () => {
  test("openai, chat", async () => {
    const { url } = await start({ turns: [turn, turn] });
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none" });
    const request = { model: "gpt-4o", messages: [{ role: "user" as const, content: "Hi." }] };
    const whole = await client.chat.completions.create(request);
    const streamed = await client.chat.completions.stream(request).finalChatCompletion();
    for (const { choices } of [whole, streamed]) expect(chatHeard(choices[0]?.message)).toEqual(told);
  });

  test("openai, responses", async () => {
    const { url } = await start({ turns: [turn, turn] });
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none" });
    const request = { model: "gpt-5.1", input: "Hi." };
    const whole = await client.responses.create(request);
    const streamed = await client.responses.stream(request).finalResponse();
    for (const { output } of [whole, streamed]) expect(responseHeard(output)).toEqual(told);
  });

  test("@anthropic-ai/sdk", async () => {
    const { url } = await start({ turns: [{ ...turn, reasoning: "Hm." }, turn] });
    const client = new Anthropic({ baseURL: url, apiKey: "none" });
    const request = {
      model: "claude-sonnet-5-5",
      max_tokens: 99,
      messages: [{ role: "user" as const, content: "Hi." }],
    };
    const whole = await client.messages.create(request);
    const streamed = await client.messages.stream(request).finalMessage();
    for (const { content } of [whole, streamed]) {
      const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
      const calls = content.flatMap((block) =>
        block.type === "tool_use" ? [{ id: block.id, name: block.name, arguments: block.input }] : [],
      );
      expect({ text, calls }).toEqual(told);
    }
  });

  test("@google/genai", async () => {
    const { url } = await start({ turns: [turn, turn] });
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: url } });
    const request = { model: "gemini-2.5-pro", contents: "Hi." };
    const whole = await client.models.generateContent(request);
    const pieces: Heard[] = [];
    for await (const piece of await client.models.generateContentStream(request)) pieces.push(geminiHeard(piece));
    const streamed = { text: pieces.map(({ text }) => text).join(""), calls: pieces.flatMap(({ calls }) => calls) };
    for (const heard of [geminiHeard(whole), streamed]) expect(heard).toEqual(told);
  });

  test("ollama", async () => {
    const { url } = await start({ turns: [turn, turn] });
    const client = new Ollama({ host: url });
    const request = { model: "qwen3", messages: [{ role: "user", content: "Hi." }] };
    const whole = await client.chat(request);
    const messages = [];
    for await (const { message } of await client.chat({ ...request, stream: true })) messages.push(message);
    for (const said of [[whole.message], messages]) {
      const text = said.map(({ content }) => content).join("");
      const calls = said.flatMap(({ tool_calls: calls = [] }) => calls.map(({ function: called }) => called));
      expect(text).toBe(told.text);
      expect(calls.map(({ name, arguments: args }) => [name, args])).toEqual(
        told.calls.map(({ name, arguments: args }) => [name, args]),
      );
    }
  });

  test("@aws-sdk/client-bedrock-runtime", async () => {
    const { url } = await start({ turns: [turn, turn] });
    const credentials = { accessKeyId: "none", secretAccessKey: "none" };
    const client = new BedrockRuntimeClient({
      region: "us-east-1",
      endpoint: url,
      credentials,
      requestHandler: new NodeHttpHandler(),
    });
    const request = {
      modelId: "amazon.nova-pro-v1:0",
      messages: [{ role: "user" as const, content: [{ text: "Hi." }] }],
    };
    const { output } = await client.send(new ConverseCommand(request));
    const blocks = output?.message?.content ?? [];
    const calls = blocks.flatMap(({ toolUse }) =>
      toolUse ? [{ id: toolUse.toolUseId, name: toolUse.name, arguments: toolUse.input }] : [],
    );
    expect({ text: blocks.map(({ text = "" }) => text).join(""), calls }).toEqual(told);
    const { stream = [] } = await client.send(new ConverseStreamCommand(request));
    let text = "";
    let input = "";
    for await (const { contentBlockDelta } of stream as AsyncIterable<BedrockEvent>) {
      text += contentBlockDelta?.delta?.text ?? "";
      input += contentBlockDelta?.delta?.toolUse?.input ?? "";
    }
    expect([text, input]).toEqual([told.text, '{"city":"Zürich","days":[1,2]}{"zone":"CET"}']);
  });
});

describe("it is as strict as the providers", () => {
  const formats = new Set<string>(streamFormats);
  const isServed = ({ format, body }: { format: string; body: unknown }): boolean =>
    formats.has(format) && typeof body === "object" && body !== null && !Array.isArray(body);

  test("every broken fixture is refused, in words that explain knows", { timeout: 60_000 }, async () => {
    const answers = await answersTo(broken.filter(isServed));
    expect(answers.filter(({ status }) => status !== 400)).toEqual([]);
    // Some rules are known, and the words in which the provider refuses them are not.
    const cases = Object.values(rules).flatMap((rule) => rule.cases);
    const wordless = new Set(cases.filter(({ errors }) => errors.length === 0).map(({ id }) => id));
    const isWordless = (id: string): boolean =>
      broken.some((fixture) => fixture.id === id && fixture.rules.some((rule) => wordless.has(rule)));
    const unexplained = answers.filter(({ text }) => explain(text).every(({ confidence }) => confidence === "nearest"));
    expect(unexplained.filter(({ id }) => !isWordless(id)).map(({ id, text }) => `${id}: ${text}`)).toEqual([]);
  });

  test("every healthy fixture is answered", { timeout: 60_000 }, async () => {
    const answers = await answersTo(healthy.filter(isServed));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });

  test("what lacks its text, its input or its data is refused", async () => {
    const answers = await answersTo(Object.entries(lacking).map(([id, given]) => ({ id, ...given })));
    expect(answers.filter(({ status }) => status !== 400)).toEqual([]);
  });

  test("Ollama's server does not look at who answers whom", async () => {
    const call = { function: { name: "look_up", arguments: {} } };
    const histories = {
      "no result": [{ role: "assistant", content: "", tool_calls: [call] }],
      "no call": [{ role: "tool", content: "three books" }],
      "another id": [
        { role: "assistant", content: "", tool_calls: [{ id: "a", ...call }] },
        { role: "tool", tool_call_id: "b", content: "three books" },
      ],
    };
    const answers = await answersTo(
      Object.entries(histories).map(([id, messages]) => ({ id, format: "ollama", body: { model: "qwen3", messages } })),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });

  test("an SDK gets the provider's error", async () => {
    const { url } = await start({});
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
    const messages = [
      { role: "user" as const, content: "Hi." },
      {
        role: "assistant" as const,
        tool_calls: [{ id: "call_7", type: "function" as const, function: { name: "f", arguments: "{}" } }],
      },
      { role: "user" as const, content: "And?" },
    ];
    const refused = /tool_calls' must be followed by tool messages responding to each 'tool_call_id'.*call_7/u;
    await expect(client.chat.completions.create({ model: "gpt-4o", messages })).rejects.toThrow(refused);
    expect(server?.requests[0]?.refused).toMatch(refused);
  });

  test("what is not JSON, and what no provider has, is refused", async () => {
    const { url } = await start({});
    const post = (path: string, body: string) => fetch(url + path, { method: "POST", body });
    expect((await post("/v1/messages", "{")).status).toBe(400);
    expect((await post("/v1/nothing", "{}")).status).toBe(404);
  });
});

describe("a script", () => {
  test("that is over says so", async () => {
    const { url } = await start({ turns: [] });
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi." }] });
    const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", body });
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining("The script has 0 turns")]);
  });

  test("may answer with errors, and a function sees the request", async () => {
    const { url, requests } = await start({
      turns: ({ body }) => ({
        error: { status: 429, message: `Too fast for ${String(body["model"])}.`, headers: { "retry-after": "1" } },
      }),
    });
    const body = JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi." }] });
    const response = await fetch(`${url}/v1/messages`, { method: "POST", body });
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await response.json()).toMatchObject({ error: { type: "rate_limit_error", message: "Too fast for m." } });
    expect(requests).toHaveLength(1);
  });

  test("with a fault or an option that does not exist is refused, with those that do", async () => {
    await expect(wireServer({ turns: [{ faults: ["no-such" as "cut"] }] })).rejects.toThrow(/id-null-first/u);
    await expect(wireServer({ speed: 1 } as object)).rejects.toThrow(/turns, provider/u);
  });
});

const asked = { role: "user", content: "Hi." };
const chatCall = { id: "call_1", type: "function", function: { name: "look_up", arguments: "{}" } };

const chatBody = (...messages: readonly unknown[]) => ({
  format: "openai-chat",
  body: { model: "gpt-4o", messages: [asked, ...messages] },
});

const responsesBody = (...input: readonly unknown[]) => ({
  format: "openai-responses",
  body: { model: "gpt-5.1", input: [asked, ...input] },
});

const claudeBody = (blocks: readonly unknown[], content: unknown) => ({
  format: "anthropic",
  body: {
    model: "claude-sonnet-5-5",
    max_tokens: 99,
    tools: [{ name: "look_up", input_schema: { type: "object" } }],
    messages: [
      asked,
      { role: "assistant", content: [...blocks, { type: "tool_use", id: "toolu_1", name: "look_up", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content }] },
    ],
  },
});

const bedrockBody = (content: unknown) => ({
  format: "bedrock",
  body: {
    modelId: "amazon.nova-pro-v1:0",
    toolConfig: { tools: [{ toolSpec: { name: "look_up", inputSchema: { json: {} } } }] },
    messages: [
      { role: "user", content: [{ text: "Hi." }] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "tooluse_1", name: "look_up", input: {} } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "tooluse_1", content } }] },
    ],
  },
});

/** Blocks and items of the right type with nothing in them. */
const lacking = {
  "a text part of the user": chatBody({ role: "user", content: [{ type: "text" }] }),
  "a text part of a result": chatBody(
    { role: "assistant", content: null, tool_calls: [chatCall] },
    { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: null }] },
  ),
  output_text: responsesBody({ type: "message", role: "assistant", content: [{ type: "output_text" }] }),
  input_text: responsesBody({ type: "message", role: "user", content: [{ type: "input_text" }] }),
  "input_text of an output": responsesBody(
    { type: "function_call", call_id: "call_1", name: "look_up", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: [{ type: "input_text" }] },
  ),
  custom_tool_call: responsesBody(
    { type: "custom_tool_call", call_id: "call_1", name: "look_up" },
    { type: "custom_tool_call_output", call_id: "call_1", output: "three books" },
  ),
  "a part of toolResult": bedrockBody([{}]),
  "a text of toolResult": bedrockBody([{ text: null }]),
  tool_result: claudeBody([], null),
  redacted_thinking: claudeBody([{ type: "redacted_thinking" }], "three books"),
};

interface BedrockEvent {
  readonly contentBlockDelta?: {
    readonly delta?: { readonly text?: string; readonly toolUse?: { readonly input?: string } };
  };
}

function chatHeard(message: OpenAI.ChatCompletionMessage | undefined): Heard {
  const calls = (message?.tool_calls ?? []).flatMap((call) =>
    call.type === "function"
      ? [{ id: call.id, name: call.function.name, arguments: JSON.parse(call.function.arguments) as unknown }]
      : [],
  );
  return { text: message?.content ?? "", calls };
}

function responseHeard(output: readonly OpenAI.Responses.ResponseOutputItem[]): Heard {
  const text = output
    .flatMap((item) => (item.type === "message" ? item.content : []))
    .map((part) => (part.type === "output_text" ? part.text : ""))
    .join("");
  const calls = output.flatMap((item) =>
    item.type === "function_call"
      ? [{ id: item.call_id, name: item.name, arguments: JSON.parse(item.arguments) as unknown }]
      : [],
  );
  return { text, calls };
}

function geminiHeard({
  candidates,
}: {
  candidates?: readonly { content?: { parts?: readonly GeminiPart[] } }[];
}): Heard {
  const parts = candidates?.[0]?.content?.parts ?? [];
  const calls = parts.flatMap(({ functionCall: called }) =>
    called ? [{ id: called.id, name: called.name ?? "", arguments: called.args }] : [],
  );
  return { text: parts.map(({ text = "" }) => text).join(""), calls };
}

interface GeminiPart {
  readonly text?: string;
  readonly functionCall?: {
    readonly id?: string;
    readonly name?: string;
    readonly args?: Readonly<Record<string, unknown>>;
  };
}

interface Answer {
  readonly id: string;
  readonly status: number;
  readonly text: string;
}

async function answersTo(
  fixtures: readonly {
    readonly id: string;
    readonly format: string;
    readonly provider?: string;
    readonly body: unknown;
  }[],
): Promise<readonly Answer[]> {
  const servers = new Map<string, WireServer>();
  const answers: Answer[] = [];
  for (const { id, format, provider = "", body } of fixtures) {
    const used =
      servers.get(provider) ?? (await wireServer({ turns: () => ({ text: "Yes." }), ...(provider && { provider }) }));
    servers.set(provider, used);
    const given = body as Readonly<Record<string, unknown>>; // only bodies are asked for
    const named = [given["modelId"], given["model"]].find((each) => typeof each === "string") ?? "some-model";
    const model = encodeURIComponent(named.replace(/^models\//u, ""));
    const path = (paths.get(format) ?? "").replace("MODEL", model);
    const response = await fetch(used.url + path, {
      method: "POST",
      body: JSON.stringify({ ...given, stream: false }),
    });
    answers.push({ id, status: response.status, text: await response.text() });
  }
  for (const used of servers.values()) await used.close();
  return answers;
}

const paths: ReadonlyMap<string, string> = new Map([
  ["openai-chat", "/v1/chat/completions"],
  ["openai-responses", "/v1/responses"],
  ["anthropic", "/v1/messages"],
  ["gemini", "/v1beta/models/MODEL:generateContent"],
  ["bedrock", "/model/MODEL/converse"],
  ["ollama", "/api/chat"],
]);
