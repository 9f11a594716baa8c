import { wrapFetch } from "undangle";
import type { WireRepair } from "undangle";
import { wireServer } from "undangle/testing";
import { describe, expect, test } from "vitest";
import { sdks } from "./clients/sdks.ts";
import { turn, verdictOn } from "./clients/verdict.ts";

/** Asks a server for one body, whatever it was asked to be asked for. */
const unstreamed: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const url = request.url.replace(":streamGenerateContent?alt=sse", ":generateContent");
  const body = (await request.json()) as Record<string, unknown>; // a test's own request
  return fetch(url, { ...init, body: JSON.stringify("contents" in body ? body : { ...body, stream: false }) });
};

/** A stream that is called something else. */
const mislabelled =
  (type: string | undefined): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    const headers = new Headers(response.headers);
    if (type === undefined) headers.delete("content-type");
    else headers.set("content-type", type);
    return new Response(response.body, { status: response.status, headers });
  };

describe.each(sdks)("a program that asked for a stream, through $name", ({ format, hear }) => {
  test.each([
    ["one JSON body", unstreamed],
    ["a stream that is called JSON", mislabelled("application/json")],
    ["a stream that is called text", mislabelled("text/plain; charset=utf-8")],
    ["a stream without a type", mislabelled(undefined)],
  ])("hears the turn in %s", async (_, send) => {
    const server = await wireServer({ strict: false, turns: () => turn });
    try {
      const heard = await hear(server.baseUrl(format), wrapFetch({ logger: false, fetch: send }));
      expect({ verdict: verdictOn(heard, "same"), heard }).toMatchObject({ verdict: "right" });
    } finally {
      await server.close();
    }
  });
});

const chat = "https://host.example/v1/chat/completions";
const init = (stream: boolean): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "gpt-4.1", stream, messages: [{ role: "user", content: "Hi." }] }),
});

describe("a JSON body in place of a stream", () => {
  test.each([
    ["an error", '{"error":{"message":"no"}}'],
    ["a page", "<html>no</html>"],
    ["a list", "[]"],
    ["nothing", ""],
  ])("passes as it is where it is %s", async (_, text) => {
    const send = async (): Promise<Response> => new Response(text, { headers: { "content-type": "application/json" } });
    const response = await wrapFetch({ logger: false, fetch: send })(chat, init(true));
    expect(await response.text()).toBe(text);
    expect(response.headers.get("content-type")).toBe("application/json");
  });

  test("is told of", async () => {
    const told: WireRepair[] = [];
    const body = { id: "a", choices: [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }], usage: {} };
    const send = async (): Promise<Response> => Response.json(body);
    const fetch = wrapFetch({ logger: false, onRepair: (repair) => void told.push(repair), fetch: send });
    const text = await (await fetch(chat, init(true))).text();
    expect(text).toMatch(/^data: \{.*"content":"Hi".*\n\n(?:data: \{.*\n\n)+data: \[DONE\]\n\n$/u);
    expect(told).toMatchObject([{ side: "response", isChanged: true }]);
  });
});

describe("with mode warn", () => {
  const broken = `data: {"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"id":null,"function":{"name":"f","arguments":"{}"}}]},"finish_reason":null}]}\n\n`;
  const ended = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`;
  const warned = (response: Response) => {
    const told: WireRepair[] = [];
    const lines: string[] = [];
    const fetch = wrapFetch({
      mode: "warn",
      onRepair: (repair) => void told.push(repair),
      logger: { warn: (line) => void lines.push(line) },
      fetch: async () => response,
    });
    return { told, lines, fetch };
  };
  const events = { headers: { "content-type": "text/event-stream" } };

  test("a damaged stream passes at once and as it is, and is told of", async () => {
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const encoder = new TextEncoder();
    const source = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(encoder.encode(broken));
        await gate; // nothing more comes until the client has this
        controller.enqueue(encoder.encode(ended));
        controller.close();
      },
    });
    const { told, lines, fetch } = warned(new Response(source, events));
    const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = (
      await fetch(chat, init(true))
    ).body?.getReader();
    const decoder = new TextDecoder();
    expect(decoder.decode((await reader?.read())?.value)).toBe(broken);
    go();
    expect(decoder.decode((await reader?.read())?.value)).toBe(ended);
    expect((await reader?.read())?.done).toBe(true);
    expect(told).toMatchObject([{ side: "response", isChanged: false }]);
    expect(told[0]?.anomalies?.map(({ kind }) => kind)).toContain("id-missing");
    expect(lines[0]).toMatch(/^undangle: found damage in the response of .*id-missing/u);
  });

  test("a stream that is cut off ends as it does, and is told of", async () => {
    const { told, fetch } = warned(new Response(broken, events));
    expect(await (await fetch(chat, init(true))).text()).toBe(broken);
    expect(told).toMatchObject([{ isChanged: false }]);
  });

  test("a damaged body passes as it is, and is told of", async () => {
    const calls = [{ id: null, type: "function", function: { name: "f", arguments: "{}" } }];
    const body = {
      choices: [{ index: 0, message: { content: null, tool_calls: calls }, finish_reason: "tool_calls" }],
    };
    const { told, fetch } = warned(Response.json(body));
    expect(await (await fetch(chat, init(false))).json()).toEqual(body);
    await expect.poll(() => told).toMatchObject([{ side: "response", isChanged: false }]);
  });

  test("a healthy stream is not told of", async () => {
    const said = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":"stop"}]}\n\n`;
    const { told, fetch } = warned(new Response(said, events));
    expect(await (await fetch(chat, init(true))).text()).toBe(said);
    expect(told).toEqual([]);
  });
});
