import { setTimeout as pause } from "node:timers/promises";

import type { Send } from "./statement-sender.ts";

/** Where processes tell each other of events, in any schema: whoever is told for nothing asks for nothing. */
export const channel = "undangle_events";

/** What processes tell each other. */
export type Notice =
  /** A thread has this last event. */
  | { readonly type: "events"; readonly id: string; readonly lastEvent: number }
  /** Some thread has new events. */
  | { readonly type: "some" }
  /** Somebody wants to know whether they hear themselves. */
  | { readonly type: "echo"; readonly token: string };

/** A notice has less than 8,000 bytes, and the id of a thread any length. */
const longestId = 1000;

export function writeNotice(notice: Notice): string {
  if (notice.type === "echo") return `echo ${notice.token}`;
  if (notice.type === "some" || notice.id.length > longestId) return "some";
  return `${notice.lastEvent} ${notice.id}`;
}

/** What a text says; undefined for that of somebody else. */
export function readNotice(text: string): Notice | undefined {
  if (text === "some") return { type: "some" };
  const space = text.indexOf(" ");
  if (space === -1) return undefined;
  const [first, rest] = [text.slice(0, space), text.slice(space + 1)];
  if (first === "echo") return { type: "echo", token: rest };
  return /^\d{1,15}$/u.test(first) ? { type: "events", id: rest, lastEvent: Number(first) } : undefined;
}

const statement = `SELECT pg_notify('${channel}', notice) FROM unnest($1::text[]) AS notice`;

/** Tells all processes. */
export const sendNotices = async (send: Send, notices: readonly Notice[]): Promise<void> =>
  void (await send(statement, [[...new Set(notices.map(writeNotice))]]));

/** At least so long between two statements that tell of events, in milliseconds, and so long are the last waited for. */
const gap = 100;
const patience = 1000;

export interface Notifier {
  /** A commit has brought a thread to this event. */
  readonly tell: (id: string, lastEvent: number) => void;
  /** Resolves when everything is told, or that takes too long. */
  readonly drain: () => Promise<void>;
}

/**
 * Tells other processes of events, a few times a second at most, and behind the commits: a transaction that saves something and
 * tells of it would hold up all others that do so while it waits for the disk. What is lost with a process is found by those who
 * ask now and then.
 */
export function createNotifier(send: Send): Notifier {
  const waiting = new Map<string, number>();
  let telling: Promise<void> | undefined;
  let hurry: (() => void) | undefined;

  const tellAll = async (): Promise<void> => {
    while (waiting.size > 0) {
      const notices = [...waiting].map(([id, lastEvent]) => ({ type: "events" as const, id, lastEvent }));
      waiting.clear();
      await sendNotices(send, notices).catch(() => undefined); // as if it had got lost
      const { promise: hurried, resolve } = Promise.withResolvers<void>();
      hurry = resolve;
      await Promise.race([hurried, pause(gap, undefined, { ref: false })]);
    }
    telling = undefined;
  };

  return {
    tell(id, lastEvent) {
      waiting.set(id, lastEvent);
      telling ??= tellAll();
    },
    async drain() {
      hurry?.();
      await Promise.race([telling, pause(patience, undefined, { ref: false })]);
    },
  };
}
