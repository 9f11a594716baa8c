import { useEffect, useRef, useState } from "react";
import type { QueuedThread } from "undangle/client";
import { navigate } from "wouter/use-browser-location";

import { callKey } from "../api/call-key.ts";
import { useQueue } from "../api/queue.ts";
import { useTexts } from "../texts/language.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { threadPlace } from "./address.ts";
import { announceUse, isInUse } from "./in-use.ts";
import { notify, notifyPermission } from "./notify.ts";
import { usePreferences } from "./preferences.ts";

/** Notifications that are shown, each with the calls that it is about. */
type Shown = Map<Notification, readonly string[]>;

/**
 * Notifies of new pending calls while the page is not in use: once for the new calls of a thread. A notification is
 * closed when its calls are decided. Several tabs show one, because of its tag.
 */
export function useNotifications(): void {
  const texts = useTexts(shellTexts);
  const { threads, connection } = useQueue();
  const { notifications } = usePreferences();
  const known = useRef<ReadonlySet<string>>(undefined);
  const [shown] = useState<Shown>(() => new Map());
  useEffect(announceUse, []);
  useEffect(() => {
    if (connection !== "open") return;
    const before = known.current;
    const waiting = new Set(threads.flatMap(({ id, pending }) => pending.map((call) => callKey(id, call.id))));
    known.current = waiting;
    for (const [notification, keys] of shown) {
      if (keys.some((key) => waiting.has(key))) continue;
      notification.close();
      shown.delete(notification);
    }
    const isWanted = notifyPermission() === "granted" && notifications !== false;
    if (before === undefined || !isWanted) return;
    const show = ({ id, title, pending }: QueuedThread): void => {
      const fresh = pending.filter((call) => !before.has(callKey(id, call.id)));
      const [first] = fresh;
      if (first === undefined) return;
      const words = texts.notification(fresh.length, first.title ?? first.name);
      const notification = notify(words, { tag: callKey(id, first.id), body: title ?? "" }, () => {
        focus();
        navigate(`${threadPlace(id)}#${encodeURIComponent(first.id)}`);
      });
      if (notification !== undefined)
        shown.set(
          notification,
          fresh.map((call) => callKey(id, call.id)),
        );
    };
    void isInUse().then((is) => !is && threads.forEach(show));
  }, [threads, connection, notifications, texts, shown]);
}
