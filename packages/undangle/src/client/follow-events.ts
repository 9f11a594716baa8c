import type { AgentEvent } from "#engine";

import type { Connection } from "./connection.ts";
import { ServerRefusal } from "./server-refusal.ts";

const longestPause = 10_000;

/** Reads the events of a thread, and resumes after a broken connection, until the signal aborts. */
export async function* followEvents(
  server: Connection,
  path: string,
  { after, signal }: { readonly after?: string; readonly signal?: AbortSignal },
): AsyncGenerator<AgentEvent, void, undefined> {
  let place = after;
  const isOver = (): boolean => signal?.aborted === true;
  for (let pause = 200; !isOver(); pause = Math.min(pause * 2, longestPause)) {
    try {
      const answer = await server.stream(path, place === undefined ? {} : { "last-event-id": place }, signal);
      for await (const event of eventsIn(answer)) {
        place = event.id;
        pause = 200;
        yield event;
      }
    } catch (error) {
      if (isOver()) return;
      if (error instanceof ServerRefusal && error.status < 500 && error.status !== 429) throw error; // a retry would fail too
    }
    await wait(pause, signal);
  }
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}

async function* eventsIn({ body }: Response): AsyncGenerator<AgentEvent, void, undefined> {
  if (body === null) return;
  let text = "";
  const decoder = new TextDecoder();
  const reader = (body as ReadableStream<Uint8Array>).getReader(); // responses have this type
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      text += decoder.decode(piece.value, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = eventOf(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined); // the connection may already be closed
  }
}

function eventOf(block: string): AgentEvent | undefined {
  const fields = Object.fromEntries(
    block.split("\n").map((line) => {
      const end = line.indexOf(":");
      return [line.slice(0, end), line.slice(end + 1).trimStart()];
    }),
  );
  const { id, event, data } = fields as { readonly id?: string; readonly event?: string; readonly data?: string };
  if (id === undefined || event === undefined || data === undefined) return undefined;
  const { thread_path: path, ...rest } = JSON.parse(data) as { readonly thread_path?: readonly string[] };
  const read: unknown = { id, type: event, data: rest, ...(path !== undefined && { path }) };
  return read as AgentEvent; // the server writes this type
}
