import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { anthropicMiddleware, wrapFetch } from "undangle";
import { expect, test } from "vitest";

/** Anthropic refuses to count the tokens of a history with an open call, as it refuses to answer it. */
const messages: Anthropic.MessageParam[] = [
  { role: "user", content: "Hi." },
  { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
  { role: "user", content: "Well?" },
];
const counted = '{"input_tokens": 7}';

function server(answer = counted) {
  const bodies: string[] = [];
  const send: typeof fetch = async (_, init) => {
    bodies.push(init?.body as string);
    return new Response(answer, { headers: { "content-type": "application/json" } });
  };
  return { send, bodies };
}

test.each(["fetch", "middleware"])("a request to count tokens is mended by the %s", async (way) => {
  const { send, bodies } = server();
  const options = { apiKey: "none", maxRetries: 0 };
  const client =
    way === "fetch"
      ? new Anthropic({ ...options, fetch: wrapFetch({ logger: false, fetch: send }) })
      : new Anthropic({ ...options, fetch: send, middleware: [anthropicMiddleware({ logger: false })] });
  const { input_tokens: tokens } = await client.messages.countTokens({ model: "claude-sonnet-5-5", messages });
  expect(tokens).toBe(7);
  expect(bodies).toEqual([expect.stringContaining('"type":"tool_result","tool_use_id":"a"')]);
});

test("what was counted passes as it came", async () => {
  const { send } = server();
  const init = { method: "POST", body: JSON.stringify({ model: "claude-sonnet-5-5", messages }) };
  const response = await wrapFetch({ logger: false, fetch: send })(
    "https://host.example/v1/messages/count_tokens",
    init,
  );
  expect(await response.text()).toBe(counted);
});

const input: OpenAI.Responses.ResponseInputItem[] = [
  { role: "user", content: "Hi." },
  { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
  { role: "user", content: "Well?" },
];

test("a request to count the tokens of a response is mended", async () => {
  const { send, bodies } = server('{"object": "response.input_tokens", "input_tokens": 7}');
  const client = new OpenAI({ apiKey: "none", fetch: wrapFetch({ logger: false, fetch: send }) });
  expect((await client.responses.inputTokens.count({ model: "gpt-5.1", input })).input_tokens).toBe(7);
  expect(bodies).toEqual([expect.stringContaining('"type":"function_call_output","call_id":"a"')]);
});

test("a request to compact a history is mended, and what comes of it passes as it came", async () => {
  const item = { id: "cmp_1", type: "compaction", encrypted_content: "gAAAx" };
  const kept = { id: "msg_1", type: "message", role: "user", content: [{ type: "input_text", text: "Hi." }] };
  const compacted = JSON.stringify({
    id: "resp_1",
    object: "response.compaction",
    created_at: 1,
    output: [kept, item],
  });
  const { send, bodies } = server(compacted);
  const fetch = wrapFetch({ logger: false, fetch: send });
  const client = new OpenAI({ apiKey: "none", fetch });
  expect((await client.responses.compact({ model: "gpt-5.1", input })).output).toMatchObject([kept, item]);
  expect(bodies).toEqual([expect.stringContaining('"type":"function_call_output","call_id":"a"')]);
  const init = { method: "POST", body: JSON.stringify({ model: "gpt-5.1", input }) };
  const response = await fetch("https://api.openai.com/v1/responses/compact", init);
  expect(await response.text()).toBe(compacted);
});
