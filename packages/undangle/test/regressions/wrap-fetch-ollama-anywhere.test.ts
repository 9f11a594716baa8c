import { Ollama } from "ollama";
import { wrapFetch } from "undangle";
import { describe, expect, test, vi } from "vitest";

/** A history as OpenAI has it, sent to an Ollama at a host that nobody knows, was left as it is, and refused. */
const own = "https://host.example/api/chat";
const call = { id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } };
const tool = { type: "function", function: { name: "f", parameters: { type: "object" } } };
const messages = [
  { role: "user", content: "Hi." },
  { role: "assistant", content: null, refusal: null, tool_calls: [call] },
  { role: "user", content: [{ type: "text", text: "Well?" }] },
];
const plain = { model: "qwen3", stream: true, messages };

async function sent(url: string, body: object, headers: Record<string, string> = {}): Promise<unknown> {
  const send = vi.fn<typeof fetch>(async () => new Response("no", { status: 400 }));
  const text = JSON.stringify(body);
  await wrapFetch({ logger: false, fetch: send })(url, { method: "POST", headers, body: text });
  const given = send.mock.calls[0]?.[1]?.body as string;
  return given === text ? "as it is" : JSON.parse(given);
}

const mended: unknown = expect.objectContaining({
  messages: [
    messages[0],
    expect.objectContaining({
      tool_calls: [expect.objectContaining({ function: { name: "f", arguments: { x: 1 } } })],
    }),
    expect.objectContaining({ role: "tool", tool_name: "f" }),
    { role: "user", content: "Well?" },
  ],
});

describe("a history of OpenAI's is mended for Ollama", () => {
  test.each([
    ["its client", own, plain, { "User-Agent": "ollama-js/0.6.4 (x64 linux Node.js/v24)" }],
    ["a size of a model", own, { ...plain, model: "llama3.2:3b" }, {}],
    ["a size and more", own, { ...plain, model: "hf.co/me/qwen:30b-a3b-instruct-q4_K_M" }, {}],
    ["the latest of a model", own, { ...plain, model: "mine:latest", tools: [] }, {}],
    ["how long it stays loaded", own, { ...plain, keep_alive: "5m" }, {}],
    ["whether it thinks", own, { ...plain, think: false }, {}],
    ["its options", own, { ...plain, options: { num_ctx: 8192, temperature: 0 } }, {}],
    ["tools that it is offered", own, { ...plain, tools: [tool] }, {}],
    ["a path below its name", "https://host.example/ollama/api/chat", plain, {}],
  ])("which is told by %s", async (_, url, body, headers) => {
    expect(await sent(url, body, headers)).toEqual(mended);
  });

  test("which is told by other messages", async () => {
    const results = [{ role: "tool", tool_name: "g", content: "1" }];
    const before = { role: "assistant", content: "", tool_calls: [{ function: { name: "g", arguments: {} } }] };
    const body = await sent(own, {
      ...plain,
      messages: [{ role: "user", content: "" }, before, ...results, ...messages],
    });
    expect(body).not.toBe("as it is");
  });

  test("by the SDK of Ollama", async () => {
    const bodies: unknown[] = [];
    const send: typeof fetch = async (_, init) => {
      bodies.push(JSON.parse(init?.body as string));
      return Response.json({ model: "m", done: true, message: { role: "assistant", content: "Hi." } });
    };
    const client = new Ollama({ host: "https://host.example", fetch: wrapFetch({ logger: false, fetch: send }) });
    await client.chat({ model: "m", messages: messages as never }); // its types know no text in place of arguments
    expect(bodies).toEqual([mended]);
  });
});

describe("a chat of somebody's own is left alone", () => {
  const page = { id: "1", role: "assistant", parts: [{ type: "tool-f", toolCallId: "a", state: "input-available" }] };
  test.each([
    ["that nothing is known of", plain],
    ["with a model of some provider", { ...plain, model: "openai:gpt-4.1" }],
    ["with a model that was trained further", { ...plain, model: "ft:gpt-4o:mine::abc" }],
    ["that offers tools to a model of some provider", { ...plain, model: "gpt-4.1", tools: [tool] }],
    ["with keys of its own", { ...plain, model: "llama3:8b", chatId: "c" }],
    ["with sampling as OpenAI has it", { ...plain, model: "llama3:8b", temperature: 1, max_tokens: 9 }],
    ["with options of its own", { ...plain, options: { web: true } }],
    ["with messages of a page", { ...plain, model: "llama3:8b", messages: [page] }],
    ["with ids of messages", { ...plain, model: "llama3:8b", messages: messages.map((one) => ({ id: "1", ...one })) }],
  ])("%s", async (_, body) => {
    expect(await sent(own, body)).toBe("as it is");
  });
});
