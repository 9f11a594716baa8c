import { afterEach, expect, test } from "vitest";
import { wrapFetch } from "undangle";

const { fetch: own } = globalThis;

afterEach(() => {
  globalThis.fetch = own;
});

test.each([
  ["the global one", (wrapped: typeof own) => wrapped],
  [
    "under another that was put around it",
    (wrapped: typeof own): typeof own =>
      (input, init) =>
        wrapped(input, init),
  ],
])("in the place of the global fetch it does not call itself: %s", async (_, around) => {
  const sent: string[] = [];
  globalThis.fetch = async (_input, init) => {
    sent.push(init?.body as string); // of a client
    return Response.json({});
  };
  globalThis.fetch = around(wrapFetch({ logger: false }));
  const calls = [{ id: "call_1", type: "function", function: { name: "find", arguments: "{}" } }];
  const messages = [
    { role: "user", content: "Hi." },
    { role: "assistant", content: null, tool_calls: calls },
  ];
  const body = JSON.stringify({ model: "m", messages });
  const { status } = await fetch("https://host.example/v1/chat/completions", { method: "POST", body });
  expect(status).toBe(200);
  expect(sent).toEqual([expect.stringContaining('"tool_call_id":"call_1"')]);
});
