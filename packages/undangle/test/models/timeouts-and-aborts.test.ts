import { setTimeout as pause } from "node:timers/promises";
import { UndangleError } from "undangle";
import { anthropic, openaiCompatible } from "undangle/models";
import type { CompatibleOptions } from "undangle/models";
import { afterEach, describe, expect, test } from "vitest";
import { faultOf, hear, requestFor } from "./asking.ts";
import { chatEnd, chatPiece, rawServer } from "./raw-server.ts";
import type { RawServer } from "./raw-server.ts";

let server: RawServer | undefined;

afterEach(async () => {
  await server?.close(); // it throws when a connection is left open
  server = undefined;
});

const modelAt = ({ url }: RawServer, options: CompatibleOptions = {}) =>
  openaiCompatible({ baseURL: url, retryDelay: 1, name: "m", ...options })("some-model");

/** Servers that fall silent, each in another phase. */
const silences = {
  connect: () => rawServer(() => undefined),
  "first-byte": () => rawServer((response) => response.writeHead(200).flushHeaders()),
  idle: () => rawServer((response) => response.writeHead(200).write(chatPiece("Hel"))),
  error: () => rawServer((response) => response.writeHead(500).write("Inter")),
} as const;

/** Only the time that a test is about is short. */
const short = { connect: { connect: 60 }, "first-byte": { firstByte: 60 }, idle: { idle: 60 } } as const;

const event = (data: Readonly<Record<string, unknown>> & { readonly type: string }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const anthropicAnswer = [
  event({ type: "message_start", message: { id: "m", role: "assistant", content: [] } }),
  event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "Hello." } }),
  event({ type: "content_block_stop", index: 0 }),
  event({ type: "message_delta", delta: { stop_reason: "end_turn" } }),
  event({ type: "message_stop" }),
].join("");

describe("a provider that falls silent", () => {
  test.each(["connect", "first-byte", "idle"] as const)("is not waited for forever in the phase %s", async (phase) => {
    server = await silences[phase]();
    let asked = 0;
    const fetch: CompatibleOptions["fetch"] = (url, init) => {
      asked++;
      return globalThis.fetch(url, init);
    };
    const error = faultOf(await hear(modelAt(server, { timeouts: short[phase], retries: 1, fetch })));
    expect(error.is("model/timeout") && error.data).toMatchObject({ phase, after: 60, canRetry: true });
    expect(asked).toBe(2);
  });

  test("is asked again, and what it had said is taken back", async () => {
    server = await rawServer((response, { number }) => {
      response.writeHead(200).write(chatPiece("Hel"));
      if (number > 1) response.end(`${chatPiece("lo.")}${chatEnd}`);
    });
    const { parts, turn } = await hear(modelAt(server, { timeouts: { idle: 60 } }));
    expect(turn?.text).toBe("Hello.");
    expect(parts).toContain("<discarded>");
  });

  test("is told by its status when it falls silent in the middle of an error", async () => {
    server = await silences.error();
    const error = faultOf(await hear(modelAt(server, { timeouts: short.idle, retries: 0 })));
    expect(error.data).toMatchObject({ status: 500, message: "Inter" });
  });

  test("is waited for as long as it says something now and then", async () => {
    server = await rawServer(async (response) => {
      response.writeHead(200);
      for (const piece of ["a", "b", "c", "d", "e"]) {
        response.write(chatPiece(piece));
        await pause(300);
      }
      response.end(chatEnd);
    });
    const { turn } = await hear(modelAt(server, { timeouts: { idle: 1000 }, retries: 0 }));
    expect(turn?.text).toBe("abcde");
  });

  test.each([
    ["openai-chat", `${chatPiece("Hello.")}${chatEnd}`],
    ["anthropic", anthropicAnswer],
  ] as const)("is not waited for when it has said all, and does not hang up (%s)", async (format, answer) => {
    server = await rawServer((response) => response.writeHead(200).write(answer));
    const { url: baseURL } = server;
    const claude = anthropic("claude-sonnet-4-5", { baseURL, apiKey: "none", retries: 0 });
    const { turn, error } = await hear(format === "anthropic" ? claude : modelAt(server, { retries: 0 }));
    expect([turn?.text, turn?.finish, error]).toEqual(["Hello.", "stop", undefined]);
    expect(await server.isQuiet()).toBe(true);
  });

  test("is not one to whom somebody listens slowly", async () => {
    server = await rawServer((response) =>
      response.writeHead(200).end(`${chatPiece("Hel")}${chatPiece("lo.")}${chatEnd}`),
    );
    const stream = modelAt(server, { timeouts: { idle: 60 }, retries: 0 }).stream(requestFor());
    let text = "";
    for await (const part of stream) {
      if (part.type !== "text-delta") continue;
      text += part.text;
      await pause(150);
    }
    expect(text).toBe("Hello.");
  });

  test("is not waited for when it heeds no signal", async () => {
    const deaf = openaiCompatible({
      baseURL: "http://127.0.0.1:9/v1",
      fetch: () => new Promise<Response>(() => undefined),
      timeouts: short.connect,
      retries: 0,
    })("m");
    expect(faultOf(await hear(deaf)).code).toBe("model/timeout");
    const stopped = new AbortController();
    const heard = hear(deaf, { signal: stopped.signal });
    stopped.abort(new Error("enough"));
    expect((await heard).error).toEqual(new Error("enough"));
  });
});

describe("an abort", () => {
  test.each(["connect", "first-byte", "idle", "error"] as const)("ends the phase %s at once", async (phase) => {
    server = await silences[phase]();
    const controller = new AbortController();
    const heard = hear(modelAt(server), { signal: controller.signal });
    while (server.requests.length === 0) await pause(5);
    await pause(20);
    const reason = new Error("the person has stopped it");
    controller.abort(reason);
    expect((await heard).error).toBe(reason);
    expect(await server.isQuiet()).toBe(true);
    expect(server.requests).toHaveLength(1);
  });

  test("ends the wait for a key", async () => {
    server = await silences.connect();
    const controller = new AbortController();
    const apiKey = () => new Promise<string>(() => undefined);
    const heard = hear(modelAt(server, { apiKey }), { signal: controller.signal });
    controller.abort();
    expect((await heard).error).toMatchObject({ name: "AbortError" });
    expect(server.requests).toHaveLength(0);
  });

  test("ends the pause before another attempt", async () => {
    server = await rawServer((response) => response.writeHead(429, { "retry-after": "50" }).end());
    const controller = new AbortController();
    const heard = hear(modelAt(server), { signal: controller.signal });
    while (server.requests.length === 0) await pause(5);
    await pause(20);
    controller.abort();
    expect(await heard).toMatchObject({ parts: ["<warning>"], error: { name: "AbortError" } });
    expect(server.requests).toHaveLength(1);
  });

  test("before the first byte was sent sends nothing", async () => {
    server = await silences.connect();
    const { error } = await hear(modelAt(server), { signal: AbortSignal.abort() });
    expect(error).toMatchObject({ name: "AbortError" });
    expect(server.requests).toHaveLength(0);
  });

  test("leaves no listener behind when an answer came to its end", async () => {
    server = await rawServer((response) => response.writeHead(200).end(`${chatPiece("Hello.")}${chatEnd}`));
    const { signal } = new AbortController();
    const counts = { added: 0, removed: 0 };
    const watched = new Proxy(signal, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (name === "addEventListener") counts.added++;
        if (name === "removeEventListener") counts.removed++;
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    await hear(modelAt(server), { signal: watched });
    expect(counts.added).toBeGreaterThan(0);
    expect(counts.removed).toBe(counts.added);
  });
});

describe("a reader", () => {
  test("who leaves closes the connection", async () => {
    server = await silences.idle();
    const stream = modelAt(server).stream(requestFor());
    for await (const part of stream) if (part.type === "text-delta") break;
    expect(await server.isQuiet()).toBe(true);
    await expect(stream.turn()).rejects.toThrow("The caller stopped reading");
  });

  test("who wants only the turn gets it", async () => {
    server = await rawServer((response) => response.writeHead(200).end(`${chatPiece("Hello.")}${chatEnd}`));
    const stream = modelAt(server).stream(requestFor());
    const [first, second] = await Promise.all([stream.turn(), stream.turn()]);
    expect(first.text).toBe("Hello.");
    expect(second).toBe(first);
    expect(server.requests).toHaveLength(1);
  });

  test("who asks for the turn while another listens gets it, and the other hears everything", async () => {
    server = await rawServer((response) =>
      response.writeHead(200).end(`${chatPiece("Hel")}${chatPiece("lo.")}${chatEnd}`),
    );
    const stream = modelAt(server).stream(requestFor());
    let text = "";
    for await (const part of stream) {
      if (part.type === "text-delta") text += part.text;
      expect((await stream.turn()).text).toBe("Hello.");
    }
    expect(text).toBe("Hello.");
  });

  test("hears of an error as often as they ask", async () => {
    server = await rawServer((response) => response.writeHead(404).end());
    const stream = modelAt(server).stream(requestFor());
    await expect(stream.turn()).rejects.toBeInstanceOf(UndangleError);
    await expect(stream.turn()).rejects.toBeInstanceOf(UndangleError);
    expect(server.requests).toHaveLength(1);
  });
});
