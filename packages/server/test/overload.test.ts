import { connect } from "node:net";

import { describe, expect, onTestFinished, test } from "vitest";

import { createShedder } from "../src/access/admission.ts";
import { listen } from "../src/listen.ts";
import { canShare } from "../src/open-sockets.ts";
import { serve } from "./serve-fixture.ts";

describe("the part of requests that is refused", () => {
  const refusedOf = (shedder: ReturnType<typeof createShedder>, count: number): number =>
    Array.from({ length: count }, () => shedder.takes()).filter((takes) => !takes).length;

  test("is nothing while turns are short, and after a single pause", () => {
    const shedder = createShedder(100);
    for (const turn of [1, 99, 5000, 1, 5000, 2]) {
      shedder.measured(turn);
      expect(refusedOf(shedder, 50)).toBe(0);
    }
  });

  test("grows while turns are long, up to four of five, and shrinks again", () => {
    const shedder = createShedder(100);
    const parts = (turn: number, windows: number): readonly number[] =>
      Array.from({ length: windows }, () => {
        shedder.measured(turn);
        return refusedOf(shedder, 20);
      });
    expect(parts(101, 4)).toEqual([0, 2, 4, 6]);
    expect(parts(1000, 20).at(-1)).toBe(16);
    expect(parts(10, 4)).toEqual([15, 14, 13, 12]);
    expect(parts(10, 20).at(-1)).toBe(0);
  });
});

describe("a server whose event loop is too slow", () => {
  /** A server of which no turn is short enough, and which has noticed that. */
  async function overloaded() {
    const served = serve({ turns: [{ text: "Yes." }], options: { limits: { turn: Number.MIN_VALUE } } });
    await served.app.ready();
    const isRefusing = async () => (await served.call("GET", "/v1/models")).status === 503;
    while (!(await isRefusing())) await new Promise((resolve) => setTimeout(resolve, 20));
    return served;
  }

  test("refuses requests with 503 and Retry-After, and takes some in", async () => {
    const { call } = await overloaded();
    const answers = await Promise.all(Array.from({ length: 100 }, () => call("POST", "/threads", {})));
    const refused = answers.find(({ status }) => status === 503);
    expect(refused?.headers["retry-after"]).toBe("1");
    expect(refused?.body).toMatchObject({ error: { code: "overloaded", type: "server_error" } });
    expect(answers.some(({ status }) => status === 201)).toBe(true);
  });

  test("always responds to what shows or ends an overload, and to decisions", async () => {
    const { call } = await overloaded();
    for (let i = 0; i < 30; i++) {
      expect((await call("GET", "/healthz")).status).toBe(200);
      expect((await call("GET", "/metrics")).status).toBe(200);
      expect((await call("POST", "/threads/none/stop")).status).toBe(404);
      expect((await call("POST", "/threads/none/decisions", { all: "reject" })).status).toBe(404);
    }
    expect((await call("GET", "/metrics")).text).toMatch(/^undangle_event_loop_lag_seconds \d/mu);
  });
});

describe("sockets", () => {
  const place = { port: 0, host: "127.0.0.1" };

  test("of one port lead to one server, within its limit of connections, and close with it", async () => {
    const { app } = serve({ options: { limits: { connections: 40 } } });
    await app.ready();
    const url = new URL(await listen(app, place, "en"));
    const sockets = Array.from({ length: 60 }, () => connect(Number(url.port), url.hostname));
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    const ends = sockets.map(
      (socket) =>
        new Promise<boolean>((resolve) => {
          socket.on("data", (data: Buffer) => resolve(data.toString().startsWith("HTTP/1.1 200")));
          socket.on("close", () => resolve(false));
          socket.on("error", () => resolve(false));
          socket.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
        }),
    );
    expect((await Promise.all(ends)).filter(Boolean)).toHaveLength(40);
    sockets.forEach((socket) => socket.destroy());
    await app.close();
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  test("are not opened at a port that is taken", async () => {
    const [first, second] = [serve().app, serve().app];
    await Promise.all([first.ready(), second.ready()]);
    const port = Number(new URL(await listen(first, place, "en")).port);
    await expect(listen(second, { ...place, port }, "en")).rejects.toThrow(`Port ${port} is in use.`);
  });

  test.runIf(canShare)("are opened by several processes where a port is shared", async () => {
    const [first, second] = [serve().app, serve().app];
    await Promise.all([first.ready(), second.ready()]);
    const port = Number(new URL(await listen(first, { ...place, isShared: true }, "en")).port);
    await listen(second, { ...place, port, isShared: true }, "en");
    const served = new Set<unknown>();
    for (const app of [first, second]) app.server.on("request", () => served.add(app));
    for (let i = 0; i < 100 && served.size < 2; i++)
      await (await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { connection: "close" } })).text();
    expect(served.size).toBe(2);
  });
});
