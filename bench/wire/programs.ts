import { fork } from "node:child_process";
import { once } from "node:events";
import { wrapFetch } from "undangle";
import { byHand } from "../contenders/stream-by-hand.ts";
import type { Contender } from "../measure/cpu-rounds.ts";
import type { Wire, WireFormat } from "../streams/wire.ts";
import type { Asked } from "./serve.ts";

const paths: Readonly<Record<WireFormat, string>> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  anthropic: "/v1/messages",
};

const messages = [{ role: "user", content: "Hi." }];
const bodies: Readonly<Record<WireFormat, object>> = {
  "openai-chat": { model: "m", stream: true, messages },
  "openai-responses": { model: "m", stream: true, input: messages },
  anthropic: { model: "m", max_tokens: 9, stream: true, messages },
};

/** The ways to get a body: as it comes, through a stream that only passes it on, and repaired. */
export const ways = ["fetch and parse", "through a stream", "with wrapFetch"] as const;

type Way = (typeof ways)[number];

/** A program that fetches a stream and parses it by hand, one for each way. */
export function programsFor(wire: Wire, address: string | undefined): readonly Contender[] {
  const url = `${address ?? "https://host.example"}${paths[wire.format]}`;
  const asked = address === undefined ? url : `${url}?asked=${encodeURIComponent(JSON.stringify(wire.asked))}`;
  return ways.map((way) => {
    const send = sender(way, address === undefined ? inMemory(wire) : fetch);
    const run = async (): Promise<void> => {
      for (let i = 0; i < times; i++) {
        const { text, calls } = await byHand[wire.format](await bodyFrom(send, asked, wire.format));
        if (text !== wire.text || calls.length !== wire.calls.length) throw new Error("The stream was not read right.");
      }
    };
    return { name: way, prepare: () => ({ times, run }) };
  });
}

/**
 * How many streams are read for one figure: the garbage of a single one just fits into the space for what is new, so that one
 * way would pay nothing for collecting it, and one that makes a little more all of it.
 */
const times = 3;

export type Send = (url: string, init: RequestInit) => Promise<Response>;

export function sender(way: Way, send: Send): Send {
  if (way === "fetch and parse") return send;
  if (way === "with wrapFetch") return wrapFetch({ fetch: send as typeof fetch, logger: false });
  return async (url, given) => {
    const response = await send(url, given);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    };
    return new Response(new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 }));
  };
}

function inMemory({ pieces }: Wire): Send {
  const headers = { "content-type": "text/event-stream" };
  return async () => new Response(ReadableStream.from(pieces), { headers });
}

async function bodyFrom(send: Send, url: string, format: WireFormat): Promise<ReadableStream<Uint8Array>> {
  const headers = { "content-type": "application/json" };
  const { body } = await send(url, { method: "POST", headers, body: JSON.stringify(bodies[format]) });
  if (body === null) throw new Error("There is no body.");
  return body as ReadableStream<Uint8Array>;
}

/** Milliseconds from a request to the first text, while the server waits behind it: a text that is held never comes. */
export async function firstText(address: string, send: Send, asked: Asked): Promise<number> {
  const url = `${address}${paths[asked.format]}?asked=${encodeURIComponent(JSON.stringify(asked))}`;
  const begin = performance.now();
  const reader = (await bodyFrom(send, url, asked.format)).getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("word 0")) text += decoder.decode((await reader.read()).value, { stream: true });
  const time = performance.now() - begin;
  await reader.cancel();
  return time;
}

/** Starts the server; gives its address and the way to end it. */
export async function startServer(): Promise<{ readonly address: string; readonly stop: () => void }> {
  const child = fork(new URL("serve.ts", import.meta.url), { execArgv: ["--no-warnings"] });
  const [port] = (await once(child, "message")) as [number]; // what it sends
  return { address: `http://127.0.0.1:${port}`, stop: () => child.disconnect() };
}
