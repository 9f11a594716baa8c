import { memoryStore } from "undangle/agent";
import type { Store } from "undangle/agent";
import fc from "fast-check";
import { expect, test } from "vitest";

import { quiet, soon, until } from "../../undangle/test/engine/promised.ts";
import { agentOptions, conversations } from "../../undangle/test/engine/random-conversation.ts";
import type { Deed } from "../../undangle/test/engine/random-conversation.ts";
import { placeOf, wrongWith } from "../../undangle/test/engine/received-events.ts";
import type { Received } from "../../undangle/test/engine/received-events.ts";
import { serve } from "./serve-fixture.ts";
import type { Served } from "./serve-fixture.ts";

/** Reads server-sent events until the server ends them, `size` have come, or the reader leaves. */
async function* sse(url: string, init: RequestInit, size: number): AsyncGenerator<Received> {
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, ...(init.signal instanceof AbortSignal ? [init.signal] : [])]);
  const response = await fetch(url, { ...init, signal });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  let text = "";
  let count = 0;
  try {
    for await (const bytes of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += bytes;
      for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
        const fields = new Map(
          text
            .slice(0, end)
            .split("\n")
            .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const),
        );
        text = text.slice(end + 2);
        const [id, type, data] = [fields.get("id"), fields.get("event"), fields.get("data")];
        if (id === undefined || type === undefined || data === undefined) continue; // `retry`, or a comment
        yield publicPart({ id, type, data: JSON.parse(data) as unknown });
        if (++count >= size) return;
      }
    }
  } finally {
    left.abort();
  }
}

/** An event without what the server adds to it, or does not pass on. */
function publicPart<Event extends { readonly type: string; readonly data: unknown }>(event: Event): Event {
  if (event.type === "model_discarded") return { ...event, data: {} };
  if (event.type !== "run_start" && event.type !== "run_end") return event;
  const { requestId: _id, error, ...data } = event.data as Record<string, unknown>; // events carry objects
  return { ...event, data: { ...data, ...(error !== undefined && { error: (error as { code: unknown }).code }) } };
}

interface Reader {
  readonly received: Received[];
  readonly leave: () => void;
  readonly left: Promise<void>;
}

/** Follows a thread, over connections that break after `size` events; the first one may be that of a request of its own. */
function follow(url: string, size: number, first?: RequestInit & { readonly url: string }): Reader {
  const received: Received[] = [];
  const over = new AbortController();
  const read = async (): Promise<void> => {
    const { signal } = over;
    if (first !== undefined) for await (const event of sse(first.url, { ...first, signal }, size)) received.push(event);
    while (!signal.aborted) {
      const last = received.at(-1)?.id;
      const headers = last === undefined ? {} : { "last-event-id": last };
      for await (const event of sse(`${url}/threads/t/events`, { headers, signal }, size)) received.push(event);
    }
  };
  const left = read().catch((error: unknown) => {
    if (!over.signal.aborted) throw error;
  });
  return { received, leave: () => over.abort(), left };
}

const plans = fc.array(
  fc.record({ ticks: fc.nat(40), size: fc.oneof(fc.integer({ min: 1, max: 7 }), fc.constant(Infinity)) }),
  { minLength: 1, maxLength: 2 },
);

/** Lets the deeds happen over HTTP, and everything come to its end. */
async function converse(call: Served["call"], deeds: readonly Deed[]): Promise<void> {
  const runs: Promise<unknown>[] = [];
  const ask = async (deed: Deed, path: string, body?: object): Promise<void> => {
    const run = call("POST", `/threads/t/${path}?wait=true`, body);
    runs.push(run);
    await (deed.isAwaited ? run : quiet(deed.ticks));
  };
  for (const deed of deeds) {
    const { type, onInput } = deed;
    if (type === "send") await ask(deed, "messages", { content: "And?", onInput });
    else if (type === "decide") await ask(deed, "decisions", { all: onInput === "queue" ? "reject" : "approve" });
    else if (type === "regenerate") await ask(deed, "regenerate");
    else if (type === "stop") await call("POST", "/threads/t/stop");
    else if (type === "describe") await call("PATCH", "/threads/t", { title: `Title ${deed.ticks}` });
    else await quiet(deed.ticks);
  }
  await Promise.all(runs);
  await call("POST", "/threads/t/stop");
}

async function storedEvents(store: Store): ReturnType<Store["events"]> {
  const [thread] = await store.list();
  return (await store.events(thread?.id ?? "")).map(publicPart);
}

test(
  "everybody who reads a thread over HTTP gets every stored event once and in order, over connections that break",
  async () => {
    const property = fc.asyncProperty(conversations, plans, async (conversation, given) => {
      const store = memoryStore();
      const { app, call } = serve({ agent: agentOptions(conversation), options: { store } });
      const url = await app.listen({ port: 0, host: "127.0.0.1" });
      await call("POST", "/threads", { id: "t" });
      const headers = { "content-type": "application/json", accept: "text/event-stream" };
      const sending = { method: "POST", headers, body: JSON.stringify({ content: "Hello." }) };
      const [{ size } = { size: Infinity }] = given;
      const speaker = follow(url, size, { ...sending, url: `${url}/threads/t/messages` });
      const joining = given.map(async (plan) => {
        await quiet(plan.ticks);
        return follow(url, plan.size);
      });
      await until(() => speaker.received.length > 0);
      await soon(converse(call, conversation.deeds), 10_000);
      const readers = [speaker, ...(await Promise.all(joining))];
      const stored = await storedEvents(store);
      const isThere = ({ received }: Reader): boolean => placeOf(received.at(-1)?.id ?? "0").number >= stored.length;
      await until(() => readers.every(isThere)).catch(() => undefined); // what is missing is named below
      for (const { leave, left } of readers) {
        leave();
        await left;
      }
      app.server.closeAllConnections(); // `fetch` keeps some that it has not used yet
      await app.close();
      const wrong = readers.flatMap(({ received }, i) =>
        wrongWith(received, stored).map((each) => `reader ${i}: ${each}`),
      );
      expect(wrong).toEqual([]);
    });
    await fc.assert(property, process.env["FUZZ"] ? {} : { numRuns: 25 });
  },
  process.env["FUZZ"] ? 0 : 120_000,
);
