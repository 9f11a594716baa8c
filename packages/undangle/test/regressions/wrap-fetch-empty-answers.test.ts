import Anthropic from "@anthropic-ai/sdk";
import { anthropicMiddleware, wrapFetch } from "undangle";
import { expect, test } from "vitest";

/** An answer that says it is empty lost the header that says so: Anthropic's SDK looks at it before it reads JSON. */
const empty = async (): Promise<Response> =>
  new Response("", { headers: { "content-type": "application/json", "content-length": "0" } });
const quiet = { logger: false } as const;
const asked = { model: "m", max_tokens: 9, messages: [{ role: "user" as const, content: "Hi." }] };

test.each([
  ["without it", { fetch: empty }],
  ["wrapFetch", { fetch: wrapFetch({ ...quiet, fetch: empty }) }],
  ["wrapFetch that only tells", { fetch: wrapFetch({ ...quiet, fetch: empty, mode: "warn" }) }],
  ["anthropicMiddleware", { fetch: empty, middleware: [anthropicMiddleware(quiet)] }],
])("an empty answer is one for an SDK: %s", async (_, how) => {
  const client = new Anthropic({ apiKey: "x", maxRetries: 0, ...how });
  await expect(client.messages.create(asked)).resolves.toBeUndefined();
});

test.each(["application/json", "text/event-stream"])("and passes with its headers: %s", async (type) => {
  const response = new Response("", { headers: { "content-type": type, "content-length": "0" } });
  const body = JSON.stringify({ ...asked, stream: true });
  const fetch = wrapFetch({ ...quiet, fetch: async () => response });
  await expect(fetch("https://api.anthropic.com/v1/messages", { method: "POST", body })).resolves.toBe(response);
});
