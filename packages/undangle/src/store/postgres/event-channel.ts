import { setTimeout as pause } from "node:timers/promises";

import type { Send } from "./statement-sender.ts";

/** The notification channel of all schemas. A notification for another schema is ignored. */
export const channel = "undangle_events";

export type Notification =
  /** The last event of a thread. */
  | { readonly type: "events"; readonly id: string; readonly lastEvent: number }
  /** An unnamed thread has new events. */
  | { readonly type: "some" }
  /** A listener checks whether it receives its own notifications. */
  | { readonly type: "echo"; readonly token: string };

/** A notification is limited to 8,000 bytes, but thread ids are not. */
const longestId = 1000;

export function writeNotification(notification: Notification): string {
  if (notification.type === "echo") return `echo ${notification.token}`;
  if (notification.type === "some" || notification.id.length > longestId) return "some";
  return `${notification.lastEvent} ${notification.id}`;
}

/** The notification in a text; undefined for one of another program. */
export function readNotification(text: string): Notification | undefined {
  if (text === "some") return { type: "some" };
  const space = text.indexOf(" ");
  if (space === -1) return undefined;
  const [first, rest] = [text.slice(0, space), text.slice(space + 1)];
  if (first === "echo") return { type: "echo", token: rest };
  return /^\d{1,15}$/u.test(first) ? { type: "events", id: rest, lastEvent: Number(first) } : undefined;
}

const statement = `SELECT pg_notify('${channel}', notification) FROM unnest($1::text[]) AS notification`;

export const sendNotifications = async (send: Send, notifications: readonly Notification[]): Promise<void> =>
  void (await send(statement, [[...new Set(notifications.map(writeNotification))]]));

/** The minimum interval of notifications in milliseconds, and how long `drain` waits. */
const gap = 100;
const drainTimeout = 1000;

export interface Notifier {
  /** Reports the last event of a thread. */
  readonly notify: (id: string, lastEvent: number) => void;
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
  let sending: Promise<void> | undefined;
  let sendNow: (() => void) | undefined;

  const sendAll = async (): Promise<void> => {
    while (waiting.size > 0) {
      const notifications = [...waiting].map(([id, lastEvent]) => ({ type: "events" as const, id, lastEvent }));
      waiting.clear();
      await sendNotifications(send, notifications).catch(() => undefined); // counts as lost
      const { promise: draining, resolve } = Promise.withResolvers<void>();
      sendNow = resolve;
      await Promise.race([draining, pause(gap, undefined, { ref: false })]);
    }
    sending = undefined;
  };

  return {
    notify(id, lastEvent) {
      waiting.set(id, lastEvent);
      sending ??= sendAll();
    },
    async drain() {
      sendNow?.();
      await Promise.race([sending, pause(drainTimeout, undefined, { ref: false })]);
    },
  };
}
