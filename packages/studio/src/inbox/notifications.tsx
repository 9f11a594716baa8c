import { useEffect, useRef, useState } from "react";
import type { QueuedThread } from "undangle/client";
import { navigate } from "wouter/use-browser-location";

import { useQueue } from "../api/queue.ts";
import { Button } from "../parts/controls/button.tsx";
import { announceUse, isInUse } from "../shell/in-use.ts";
import { notify, notifyPermission, requestNotifications } from "../shell/notify.ts";
import { usePreferences } from "../shell/preferences.ts";
import { threadPlace } from "../shell/address.ts";
import { inboxTexts } from "../texts/inbox-texts.ts";
import { useTexts } from "../texts/language.tsx";
import { lineKey } from "./inbox-lines.ts";

/** Offers notifications while a call waits. The browser asks for permission only after a click. */
export function NotificationOffer() {
  const texts = useTexts(inboxTexts);
  const { notifications } = usePreferences();
  const [permission, setPermission] = useState(notifyPermission);
  if (permission !== "default" || notifications === false) return null;
  const request = async (): Promise<void> => setPermission(await requestNotifications());
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
      {texts.notifyText}
      <Button look="plain" onClick={() => void request()}>
        {texts.notify}
      </Button>
    </p>
  );
}

/** Notifications that are shown, each with the calls that it is about. */
type Shown = Map<Notification, readonly string[]>;

/**
 * Notifies of new pending calls while the page is not in use: once for the new calls of a thread. A notification is
 * closed when its calls are decided. Several tabs show one, because of its tag.
 */
export function useNotifications(): void {
  const texts = useTexts(inboxTexts);
  const { threads, connection } = useQueue();
  const { notifications } = usePreferences();
  const known = useRef<ReadonlySet<string>>(undefined);
  const [shown] = useState<Shown>(() => new Map());
  useEffect(announceUse, []);
  useEffect(() => {
    if (connection !== "open") return;
    const before = known.current;
    const waiting = new Set(threads.flatMap(({ id, pending }) => pending.map((call) => lineKey(id, call.id))));
    known.current = waiting;
    for (const [notification, keys] of shown) {
      if (keys.some((key) => waiting.has(key))) continue;
      notification.close();
      shown.delete(notification);
    }
    const isWanted = notifyPermission() === "granted" && notifications !== false;
    if (before === undefined || !isWanted) return;
    const show = ({ id, title, pending }: QueuedThread): void => {
      const fresh = pending.filter((call) => !before.has(lineKey(id, call.id)));
      const [first] = fresh;
      if (first === undefined) return;
      const words = texts.notification(fresh.length, first.title ?? first.name);
      const notification = notify(words, { tag: lineKey(id, first.id), body: title ?? "" }, () => {
        focus();
        navigate(`${threadPlace(id)}#${encodeURIComponent(first.id)}`);
      });
      if (notification !== undefined)
        shown.set(
          notification,
          fresh.map((call) => lineKey(id, call.id)),
        );
    };
    void isInUse().then((is) => !is && threads.forEach(show));
  }, [threads, connection, notifications, texts, shown]);
}
