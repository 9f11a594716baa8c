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
  test("is healthy and ready, and has the health assistant and the agent of the chat", async () => {
    const app = serve();
    expect((await app.inject("/healthz")).json()).toEqual({ status: "ok" });
    expect((await app.inject("/readyz")).json()).toEqual({ status: "ready" });
    const { data } = (await app.inject("/personas")).json<{ data: readonly { readonly id: string }[] }>();
    expect(data.map(({ id }) => id)).toEqual(["health_assistant", "demo"]);
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
