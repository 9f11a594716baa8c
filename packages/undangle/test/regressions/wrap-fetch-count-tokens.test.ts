import Anthropic from "@anthropic-ai/sdk";
import { anthropicMiddleware, wrapFetch } from "undangle";
import { expect, test } from "vitest";

/** Anthropic refuses to count the tokens of a history with an open call, as it refuses to answer it. */
const messages: Anthropic.MessageParam[] = [
  { role: "user", content: "Hi." },
  { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
  { role: "user", content: "Well?" },
];
const counted = '{"input_tokens": 7}';

function server() {
  const bodies: string[] = [];
  const send: typeof fetch = async (_, init) => {
    bodies.push(init?.body as string);
    return new Response(counted, { headers: { "content-type": "application/json" } });
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
  const { input_tokens: tokens } = await client.messages.countTokens({ model: "claude-sonnet-4-5", messages });
  expect(tokens).toBe(7);
  expect(bodies).toEqual([expect.stringContaining('"type":"tool_result","tool_use_id":"a"')]);
});

test("what was counted passes as it came", async () => {
  const { send } = server();
  const init = { method: "POST", body: JSON.stringify({ model: "claude-sonnet-4-5", messages }) };
  const response = await wrapFetch({ logger: false, fetch: send })(
    "https://host.example/v1/messages/count_tokens",
    init,
  );
  expect(await response.text()).toBe(counted);
});
