import { Pool } from "pg";
import { postgresStore } from "undangle/store/postgres";
import { expect, onTestFinished, test } from "vitest";

import { noPostgres } from "../../undangle/test/postgres/fresh-database.ts";
import { startServer } from "../../undangle/test/postgres/start-server.ts";
import { serve } from "./serve-fixture.ts";

test.skipIf(noPostgres !== undefined)(
  "a database that is gone is said to be, and nothing is lost when it is back",
  async () => {
    const postgres = await startServer();
    onTestFinished(() => postgres.close());
    const pool = new Pool({ connectionString: postgres.url, connectionTimeoutMillis: 1000 });
    pool.on("error", () => undefined); // connections that rest are cut
    const store = postgresStore(pool, { endPool: true });
    const { app, call } = serve({ turns: [{ text: "One." }, { text: "Two." }], options: { store } });
    await call("POST", "/threads", { id: "t" });
    await call("POST", "/threads/t/messages?wait=true", { content: "1?" });
    await postgres.tell("stop");
    const away = await call("GET", "/threads/t");
    expect(away).toMatchObject({
      status: 503,
      body: { error: { code: expect.stringMatching(/^store\//u) as string } },
    });
    expect(away.text).not.toContain("127.0.0.1");
    expect((await call("GET", "/healthz")).status).toBe(200);
    expect((await call("GET", "/readyz")).status).toBe(503);
    await postgres.tell("start");
    expect((await call("POST", "/threads/t/messages?wait=true", { content: "2?" })).body).toMatchObject({
      text: "Two.",
    });
    expect((await call("GET", "/threads/t")).body["messages"]).toHaveLength(4);
    await app.close();
    await store.close();
  },
);
