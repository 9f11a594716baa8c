import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

import OpenAI from "openai";
import OpenAI6 from "openai-6";
import { wrapFetch } from "undangle";
import type { WireRepair, WrapFetchOptions } from "undangle";
import { describe, expect, onTestFinished, test, vi } from "vitest";

const asked = { model: "gpt-4.1", messages: [{ role: "user" as const, content: "Hi." }] };
const post = (stream?: boolean): RequestInit => ({ method: "POST", body: JSON.stringify({ ...asked, stream }) });
const path = "/v1/chat/completions";
const url = `https://host.example${path}`;
const json = { "content-type": "application/json" };

const answer = (message: object, finish = "stop"): string =>
  JSON.stringify({
    id: "a",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
  });
const said = answer({ content: "Hi" });
const damaged = answer({ content: null, tool_calls: [{ function: { name: "f", arguments: "{}" } }] }, "tool_calls");

/** A server on the loopback, and how often it was asked. */
async function serve(
  respond: (response: ServerResponse) => unknown,
): Promise<{ readonly url: string; readonly count: () => number }> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      count += 1;
      response.writeHead(200, json);
      respond(response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => count };
}

/** A body that nobody has called finished yet. */
function opened(...pieces: readonly string[]) {
  const cancel = vi.fn<(reason: unknown) => void>();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => pieces.forEach((piece) => controller.enqueue(new TextEncoder().encode(piece))),
    cancel,
  });
  return { cancel, response: new Response(body, { headers: json }) };
}

/** Reads an answer piece by piece. */
function reading(response: Response) {
  const body: ReadableStream<Uint8Array> | null = response.body;
  const reader = body?.getReader();
  const next = async (): Promise<string> => new TextDecoder().decode((await reader?.read())?.value);
  return { next, cancel: (reason?: string) => reader?.cancel(reason) };
}

const wrapped = (response: Response, options: WrapFetchOptions = {}): typeof fetch =>
  wrapFetch({ logger: false, fetch: async () => response, ...options });

describe("a JSON answer is not read before somebody reads it", () => {
  // Since version 7 the time-out of the SDK is for the body too, whoever gets it.
  test("so that a time-out for the headers does not count for the body", async () => {
    const server = await serve(async (response) => {
      response.flushHeaders();
      for (let i = 0; i < 16; i += 1) {
        await pause(100);
        response.write("\n");
      }
      response.end(said);
    });
    const options = { baseURL: `${server.url}/v1`, apiKey: "none", timeout: 1000, maxRetries: 1 };
    const client = new OpenAI6({ ...options, fetch: wrapFetch({ logger: false }) });
    expect((await client.chat.completions.create(asked)).choices[0]?.message.content).toBe("Hi");
    expect(server.count()).toBe(1);
  });

  test("so that a connection that breaks in the body is not asked for again", async () => {
    const server = await serve((response) => {
      response.write(said.slice(0, 20));
      setTimeout(() => response.destroy(), 20);
    });
    const options = { baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 2 };
    const client = new OpenAI({ ...options, fetch: wrapFetch({ logger: false }) });
    await expect(client.chat.completions.create(asked)).rejects.toThrow("terminated");
    expect(server.count()).toBe(1);
  });

  test.each([undefined, true])("also where it breaks while it is looked at, stream: %s", async (stream) => {
    const broken = new TypeError("terminated");
    const pieces = ['{"id":', broken];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift();
        if (typeof piece === "string") controller.enqueue(new TextEncoder().encode(piece));
        else controller.error(piece);
      },
    });
    const response = await wrapped(new Response(body, { headers: json }))(url, post(stream));
    const { next } = reading(response);
    expect(await next()).toBe('{"id":');
    await expect(next()).rejects.toBe(broken);
  });

  test("and blanks that keep the line open pass at once", async () => {
    const { response } = opened("\n\n");
    const { next, cancel } = reading(await wrapped(response)(url, post()));
    expect(await next()).toBe("\n\n");
    await cancel();
  });

  test.each([
    [":generateContent", '[{"candidates":'],
    [":streamGenerateContent?alt=sse", '[{"candidates":'],
    [":streamGenerateContent", "\n\n"],
  ])("and what is no object passes as it comes, at %s", async (verb, begun) => {
    const { response } = opened(begun);
    const init = { method: "POST", body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "Hi." }] }] }) };
    const { next, cancel } = reading(await wrapped(response)(`https://host.example/v1beta/models/g${verb}`, init));
    expect(await next()).toBe(begun);
    await cancel();
  });
});

describe("a JSON answer", () => {
  test("that is larger than maxBytes passes as it comes", async () => {
    const { response } = opened(damaged.slice(0, 100), damaged.slice(100));
    const { next, cancel } = reading(await wrapped(response, { maxBytes: 150 })(url, post()));
    expect((await next()) + (await next())).toBe(damaged);
    await cancel();
  });

  test("in which nothing is mended keeps every byte", async () => {
    const text = new TextEncoder().encode(`${said}\n`);
    const at = text.indexOf("H".charCodeAt(0));
    text[at] = 0xff; // no UTF-8
    const bytes = new Uint8Array([0xef, 0xbb, 0xbf, ...text]);
    const response = await wrapped(new Response(bytes, { headers: json }))(url, post());
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
  });

  test("is mended when it is read, and told of then", async () => {
    const told: WireRepair[] = [];
    const options = { onRepair: (repair: WireRepair) => void told.push(repair) };
    const response = await wrapped(new Response(damaged, { headers: json }), options)(url, post());
    expect(told).toEqual([]);
    expect(await response.text()).toMatch(/"id":"call_/u);
    expect(told).toMatchObject([{ side: "response", isChanged: true }]);
  });

  test("that nobody wants is closed at its source", async () => {
    for (const mode of ["repair", "warn"] as const) {
      for (const stream of [undefined, true]) {
        const { response, cancel } = opened("data");
        const { body } = await wrapped(new Response(response.body, { headers: { "content-type": "text/plain" } }), {
          mode,
        })(url, post(stream));
        await body?.cancel("enough");
        expect(cancel).toHaveBeenCalledWith("enough");
      }
    }
  });

  test("is also closed with mode warn in the middle of being read", async () => {
    const { response, cancel } = opened("{", " ");
    const reader = reading(await wrapped(response, { mode: "warn" })(url, post()));
    await reader.next();
    await reader.cancel("enough");
    expect(cancel).toHaveBeenCalledWith("enough");
  });
});

test("a clone of an answer knows where it has come from", async () => {
  const server = await serve((response) => response.end(said));
  const response = await wrapFetch({ logger: false })(server.url + path, post());
  const clone = response.clone().clone();
  expect([clone.url, clone.redirected, clone.type]).toEqual([response.url, response.redirected, response.type]);
  expect(clone.url).toBe(server.url + path);
  expect(await clone.text()).toBe(said);
});
