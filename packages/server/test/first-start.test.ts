import { memoryStore } from "undangle/agent";
import { afterEach, describe, expect, test } from "vitest";

import { createServer } from "../src/index.ts";

const open: ReturnType<typeof createServer>[] = [];

afterEach(async () => {
  for (const app of open.splice(0)) await app.close();
});

const serve = (options: Parameters<typeof createServer>[0] = {}) => {
  const app = createServer({
    store: memoryStore(),
    config: undefined,
    folder: import.meta.dirname,
    env: {},
    ...options,
  });
  open.push(app);
  return app;
};

describe("a server that nobody has configured", () => {
  test("is healthy and ready, and has the health assistant and the agents of the chat", async () => {
    const app = serve();
    expect((await app.inject("/healthz")).json()).toEqual({ status: "ok" });
    expect((await app.inject("/readyz")).json()).toEqual({ status: "ready" });
    const { data } = (await app.inject("/personas")).json<{ data: readonly { readonly id: string }[] }>();
    expect(data.map(({ id }) => id)).toEqual(["health_assistant", "deep", "demo"]);
  });

  test("continues threads of the deep chat: its sub-agents wait before they write", async () => {
    const app = serve();
    await app.inject({ method: "POST", url: "/threads", payload: { id: "bikes", persona: "deep" } });
    const send = (place: string, payload: object) =>
      app.inject({ method: "POST", url: `/threads/bikes/${place}?wait=true`, payload });
    const waiting = (await send("messages", { content: "Research electric bikes." })).json<{
      pending: readonly { readonly id: string; readonly name: string }[];
    }>();
    expect(waiting.pending.map(({ id, name }) => `${id} ${name}`)).toEqual([
      "call_2/call_1 write_file",
      "call_3/call_1 write_file",
    ]);
    await send("decisions", { all: "approve" });
    const { data } = (await app.inject("/threads/bikes/files")).json<{ data: readonly { readonly path: string }[] }>();
    expect(data.map(({ path }) => path)).toEqual(["/notes/costs.md", "/notes/options.md"]);
  });

  test.each([
    ["a foreign name", { host: "evil.example" }, 403, "host-unknown"],
    ["a foreign origin", { host: "localhost", origin: "https://evil.example" }, 403, "origin-unknown"],
  ])("refuses %s", async (_, headers, status, code) => {
    const { statusCode, body } = await serve().inject({ url: "/", headers });
    expect([statusCode, (JSON.parse(body) as { error: { code: string } }).error.code]).toEqual([status, code]);
  });

  test("answers what it does not know in the form of OpenAI", async () => {
    const answer = await serve().inject("/nothing?key=secret");
    expect([answer.statusCode, answer.json()]).toEqual([
      404,
      {
        error: {
          message: "There is no route /nothing.",
          type: "invalid_request_error",
          param: null,
          code: "route-unknown",
        },
      },
    ]);
  });
});
