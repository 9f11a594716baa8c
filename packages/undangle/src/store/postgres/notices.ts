import { setTimeout as pause } from "node:timers/promises";

import type { Send } from "./statement-sender.ts";

/** The notification channel of all schemas. A notification for another schema is ignored. */
export const channel = "undangle_events";

export type Notice =
  /** The last event of a thread. */
  | { readonly type: "events"; readonly id: string; readonly lastEvent: number }
  /** An unnamed thread has new events. */
  | { readonly type: "some" }
  /** A listener checks whether it receives its own notifications. */
  | { readonly type: "echo"; readonly token: string };

/** A notification is limited to 8,000 bytes, but thread ids are not. */
const longestId = 1000;

export function writeNotice(notice: Notice): string {
  if (notice.type === "echo") return `echo ${notice.token}`;
  if (notice.type === "some" || notice.id.length > longestId) return "some";
  return `${notice.lastEvent} ${notice.id}`;
}

/** The notification in a text; undefined for one of another program. */
export function readNotice(text: string): Notice | undefined {
  if (text === "some") return { type: "some" };
  const space = text.indexOf(" ");
  if (space === -1) return undefined;
  const [first, rest] = [text.slice(0, space), text.slice(space + 1)];
  if (first === "echo") return { type: "echo", token: rest };
  return /^\d{1,15}$/u.test(first) ? { type: "events", id: rest, lastEvent: Number(first) } : undefined;
}

const statement = `SELECT pg_notify('${channel}', notice) FROM unnest($1::text[]) AS notice`;

export const sendNotices = async (send: Send, notices: readonly Notice[]): Promise<void> =>
  void (await send(statement, [[...new Set(notices.map(writeNotice))]]));

/** The minimum interval of notifications in milliseconds, and how long `drain` waits. */
const gap = 100;
const patience = 1000;

export interface Notifier {
  /** Reports the last event of a thread. */
  readonly tell: (id: string, lastEvent: number) => void;
  /** Resolves when everything is sent, or after a timeout. */
  readonly drain: () => Promise<void>;
}

/**
 * Notifies other processes of events, at most a few times per second and after the commits. A transaction that saves
 * and notifies would block all others while it waits for the disk. Polling finds notifications that were lost with a
 * process.
 */
export function createNotifier(send: Send): Notifier {
  const waiting = new Map<string, number>();
  let telling: Promise<void> | undefined;
  let hurry: (() => void) | undefined;

  const tellAll = async (): Promise<void> => {
    while (waiting.size > 0) {
      const notices = [...waiting].map(([id, lastEvent]) => ({ type: "events" as const, id, lastEvent }));
      waiting.clear();
      await sendNotices(send, notices).catch(() => undefined); // counts as lost
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
