import type { AgentEvent } from "#engine";

import type { QueuedThread } from "./client.ts";
import type { Connection } from "./connection.ts";
import { ServerRefusal } from "./server-refusal.ts";

const longestPause = 10_000;

/** The server sends a comment every 15 seconds. A stream that is silent for longer than two of them is dead. */
const defaultIdleTimeout = 40_000;

/** Options of streams that never end by themselves. */
export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** After so many milliseconds without a byte the connection counts as lost. 40,000 by default. */
  readonly idleTimeout?: number;
  /** Called when the connection opens, and when it is lost and will be reopened. */
  readonly onConnection?: (state: "open" | "lost") => void;
}

/** A change of the queue. A thread without pending calls has left it. */
export type QueueEvent =
  | { readonly type: "snapshot"; readonly data: readonly QueuedThread[] }
  | { readonly type: "thread"; readonly data: QueuedThread };

/** Reads the events of a thread, and resumes after a broken connection, until the signal aborts. */
export async function* followEvents(
  server: Connection,
  path: string,
  { after, ...options }: FollowOptions & { readonly after?: string },
): AsyncGenerator<AgentEvent, void, undefined> {
  let place = after;
  const open = (signal: AbortSignal): Promise<Response> =>
    server.stream(path, place === undefined ? {} : { "last-event-id": place }, signal);
  for await (const fields of reconnecting(open, options)) {
    const event = agentEventOf(fields);
    if (event === undefined) continue;
    place = event.id;
    yield event;
  }
}

/** Reads the changes of the queue. Every connection starts with a snapshot. */
export async function* followQueue(
  server: Connection,
  options: FollowOptions,
): AsyncGenerator<QueueEvent, void, undefined> {
  const open = (signal: AbortSignal): Promise<Response> => server.stream("/queue/events", {}, signal);
  for await (const { event, data } of reconnecting(open, options)) {
    if ((event !== "snapshot" && event !== "thread") || data === undefined) continue;
    const parsed: unknown = JSON.parse(data);
    const read: unknown = { type: event, data: parsed };
    yield read as QueueEvent; // the server writes this type
  }
}

/** Reads server-sent events, and opens the stream again when it breaks or falls silent, until the signal aborts. */
async function* reconnecting(
  open: (signal: AbortSignal) => Promise<Response>,
  { signal, onConnection, idleTimeout = defaultIdleTimeout }: FollowOptions,
): AsyncGenerator<EventFields, void, undefined> {
  const isOver = (): boolean => signal?.aborted === true;
  for (let pause = 200; !isOver(); pause = Math.min(pause * 2, longestPause)) {
    const attempt = new AbortController();
    const end = (): void => attempt.abort();
    signal?.addEventListener("abort", end);
    /** A network that drops a connection without closing it reports nothing. */
    const unlessSilent = async <T>(waiting: Promise<T>): Promise<T> => {
      const timer = setTimeout(end, idleTimeout);
      try {
        return await waiting;
      } finally {
        clearTimeout(timer);
      }
    };
    try {
      const response = await unlessSilent(open(attempt.signal));
      onConnection?.("open");
      for await (const fields of eventsIn(response, unlessSilent)) {
        pause = 200;
        yield fields;
      }
    } catch (error) {
      if (isOver()) return;
      if (error instanceof ServerRefusal && error.isFinal) throw error;
    } finally {
      signal?.removeEventListener("abort", end);
      end();
    }
    if (!isOver()) onConnection?.("lost");
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

interface EventFields {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

async function* eventsIn(
  { body }: Response,
  unlessSilent: <T>(waiting: Promise<T>) => Promise<T>,
): AsyncGenerator<EventFields, void, undefined> {
  if (body === null) return;
  let text = "";
  const decoder = new TextDecoder();
  const reader = (body as ReadableStream<Uint8Array>).getReader(); // responses have this type
  try {
    for (let chunk = await unlessSilent(reader.read()); !chunk.done; chunk = await unlessSilent(reader.read())) {
      const known = Math.max(text.length - 1, 0);
      text += decoder.decode(chunk.value, { stream: true });
      if (!text.includes("\n\n", known)) continue; // a long event arrives in many chunks, and each is searched once
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) yield fieldsOf(block);
    }
  } finally {
    await reader.cancel().catch(() => undefined); // the connection may already be closed
  }
}

const fieldsOf = (block: string): EventFields =>
  Object.fromEntries(
    block.split("\n").map((line) => {
      const end = line.indexOf(":");
      return [line.slice(0, end), line.slice(end + 1).trimStart()];
    }),
  );

function agentEventOf({ id, event, data }: EventFields): AgentEvent | undefined {
  if (id === undefined || event === undefined || data === undefined) return undefined;
  const { thread_path: path, ...rest } = JSON.parse(data) as { readonly thread_path?: readonly string[] };
  const read: unknown = { id, type: event, data: rest, ...(path !== undefined && { path }) };
  return read as AgentEvent; // the server writes this type
}
