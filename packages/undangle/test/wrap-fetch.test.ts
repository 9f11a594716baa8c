import OpenAI from "openai";
import { wrapFetch } from "undangle";
import type { WireRepair } from "undangle";
import { afterEach, describe, expect, test, vi } from "vitest";
import { wireServer } from "undangle/testing";
import type { WireServer, WireServerOptions } from "undangle/testing";

let server: WireServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(options: WireServerOptions = {}): Promise<WireServer> {
  server = await wireServer(options);
  return server;
}

const poisoned = [
  { role: "user" as const, content: "Weather?" },
  {
    role: "assistant" as const,
    content: null,
    tool_calls: [{ id: "call_1", type: "function" as const, function: { name: "get_weather", arguments: "{}" } }],
  },
  { role: "user" as const, content: "Never mind." },
];
const body = { model: "gpt-4.1", messages: poisoned };
const json = { "content-type": "application/json" };
const quiet = { logger: false } as const;

describe("a request that the provider would refuse", () => {
  test("is refused without it, and answered with it", async () => {
    const { url } = await start({ turns: [{ text: "Hello." }] });
    const client = (fetch?: typeof globalThis.fetch) =>
      new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0, ...(fetch && { fetch }) });
    await expect(client().chat.completions.create(body)).rejects.toThrow("must be followed by tool messages");
    const { choices } = await client(wrapFetch(quiet)).chat.completions.create(body);
    expect(choices[0]?.message.content).toBe("Hello.");
  });

  test("is mended whichever way it is given", async () => {
    const { url, requests } = await start({ turns: () => ({ text: "Hello." }) });
    const fetch = wrapFetch(quiet);
    const address = `${url}/v1/chat/completions`;
    const text = JSON.stringify(body);
    const init = { method: "POST", headers: json };
    const given: (readonly [Parameters<typeof fetch>[0], RequestInit?])[] = [
      [address, { ...init, body: text }],
      [new URL(address), { ...init, body: text }],
      [address, { ...init, body: new TextEncoder().encode(text) }],
      [address, { ...init, headers: { ...json, "Content-Length": String(text.length) }, body: text }],
      [new Request(address, { ...init, body: text })],
      [new Request(address, init), { body: text }],
    ];
    for (const each of given) expect((await fetch(...each)).status).toBe(200);
    expect(requests).toHaveLength(given.length);
    for (const request of requests) {
      expect((request.body["messages"] as readonly { role: string }[]).map(({ role }) => role)).toEqual([
        "user",
        "assistant",
        "tool",
        "user",
      ]);
    }
  });

  test("is told of, and cannot be disturbed by whoever listens", async () => {
    const { url } = await start({ turns: () => ({ text: "Hello." }) });
    const told: WireRepair[] = [];
    const lines: string[] = [];
    const fetch = wrapFetch({
      onRepair(repair) {
        told.push(repair);
        throw new Error("not my day");
      },
      logger: {
        warn(line) {
          lines.push(line);
          throw new Error("nor mine");
        },
      },
    });
    const init = { method: "POST", headers: json, body: JSON.stringify(body) };
    const response = await fetch(`${url}/v1/chat/completions?key=secret`, init);
    expect(response.status).toBe(200);
    expect(
      told.map(({ side, format, edits, url: at }) => [side, format, edits?.length, at.includes("secret")]),
    ).toEqual([["request", "openai-chat", 1, false]]);
    expect(lines).toEqual([
      `undangle: repaired the request of ${url}/v1/chat/completions (openai-chat): unanswered-call`,
    ]);
  });

  test("is only told of with mode warn, and not looked at with mode off", async () => {
    const { url } = await start();
    const init = { method: "POST", headers: json, body: JSON.stringify(body) };
    for (const mode of ["warn", "off"] as const) {
      const onRepair = vi.fn<(repair: WireRepair) => void>();
      const response = await wrapFetch({ ...quiet, mode, onRepair })(`${url}/v1/chat/completions`, init);
      expect(response.status).toBe(400);
      expect(onRepair.mock.calls.map(([{ isChanged }]) => isChanged)).toEqual(mode === "warn" ? [false] : []);
    }
  });
});

describe("a request that is none of its business", () => {
  const text = JSON.stringify(body);
  const post = (rest: RequestInit = {}): RequestInit => ({ method: "POST", headers: json, body: text, ...rest });
  const chat = "https://host.example/v1/chat/completions";
  const cases = [
    { name: "another path", input: "https://host.example/v1/embeddings", init: post() },
    { name: "another method", input: chat, init: { method: "GET" } },
    { name: "no JSON", input: chat, init: post({ body: "{" }) },
    { name: "a list", input: chat, init: post({ body: "[]" }) },
    {
      name: "signed for AWS",
      input: chat,
      init: post({ headers: { ...json, Authorization: "AWS4-HMAC-SHA256 Credential=x" } }),
    },
    { name: "packed", input: chat, init: post({ headers: { ...json, "content-encoding": "gzip" } }) },
    { name: "too large", input: chat, init: post(), maxBytes: 10 },
    { name: "a form", input: chat, init: post({ body: new FormData() }) },
    { name: "headers that are none", input: chat, init: post({ headers: { ...json, "x-name": "…" } }) },
    { name: "bytes that are no text", input: chat, init: post({ body: new Uint8Array([0xff, 0xfe]) }) },
  ];

  test.each(cases)("passes as it is: $name", async ({ input, init, maxBytes }) => {
    const response = new Response("{}", { headers: json });
    const send = vi.fn<typeof fetch>(async () => response);
    await expect(wrapFetch({ ...quiet, maxBytes, fetch: send })(input, init)).resolves.toBe(response);
    expect(send.mock.calls).toEqual([[input, init]]);
    expect(send.mock.calls[0]?.[1]).toBe(init);
  });

  test("passes errors, of the provider and of the network, as they are", async () => {
    const refused = new Response("no", { status: 401 });
    const init = post();
    await expect(wrapFetch({ ...quiet, fetch: async () => refused })(chat, init)).resolves.toBe(refused);
    const broken = new TypeError("fetch failed");
    await expect(wrapFetch({ ...quiet, fetch: () => Promise.reject(broken) })(chat, init)).rejects.toBe(broken);
  });
});

describe("options", () => {
  test.each([
    [{ mode: "loud" }, "mode"],
    [{ toolCalls: "drop" }, "toolCalls"],
    [{ fetch: 1 }, "fetch"],
    [{ logger: {} }, "logger"],
    [{ format: "xml" }, "format"],
    [{ provider: "nobody" }, "provider"],
    [{ maxBytes: "1" }, "maxBytes"],
    [{ fetsch: fetch }, "fetsch"],
  ])("%j is refused", (options, name) => {
    expect(() => wrapFetch(options as object)).toThrow(name);
  });

  test("a provider says nothing where another format is spoken", async () => {
    const send = vi.fn<typeof fetch>(async () => new Response("no", { status: 400 }));
    const messages = [
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
      { role: "user", content: "Well?" },
    ];
    const init = { method: "POST", body: JSON.stringify({ model: "claude-sonnet-5-5", max_tokens: 9, messages }) };
    await wrapFetch({ ...quiet, provider: "mistral", fetch: send })("https://host.example/v1/messages", init);
    expect(send.mock.calls[0]?.[1]?.body).toContain("tool_result");
  });
});
