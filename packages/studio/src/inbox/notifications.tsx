import { useEffect, useRef, useState } from "react";

import { useQueue } from "../api/queue.ts";
import { Button } from "../parts/button.tsx";
import { changePreferences, usePreferences } from "../shell/preferences.ts";
import { threadPlace } from "../shell/thread-list.tsx";
import { inboxTexts } from "../texts/inbox-texts.ts";
import { useTexts } from "../texts/language.tsx";
import { lineKey } from "./inbox-lines.ts";

const isPossible = (): boolean => "Notification" in globalThis;

/** Offers notifications while a call waits. The browser asks for permission only after a click. */
export function NotificationOffer() {
  const texts = useTexts(inboxTexts);
  const { notifications } = usePreferences();
  const [permission, setPermission] = useState(() => (isPossible() ? Notification.permission : "denied"));
  if (permission !== "default" || notifications === false) return null;
  const ask = async (): Promise<void> => {
    const given = await Notification.requestPermission();
    setPermission(given);
    changePreferences({ notifications: given === "granted" });
  };
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
      {texts.notifyText}
      <Button look="plain" onClick={() => void ask()}>
        {texts.notify}
      </Button>
    </p>
  );
}

/** Notifies of new pending calls while the page is not visible. Several tabs show one notification, because of its tag. */
export function useNotifications(): void {
  const texts = useTexts(inboxTexts);
  const { threads, connection } = useQueue();
  const { notifications } = usePreferences();
  const known = useRef<ReadonlySet<string>>(undefined);
  useEffect(() => {
    if (connection !== "open") return;
    const calls = threads.flatMap(({ id, title, pending }) =>
      pending.map((call) => ({ key: lineKey(id, call.id), threadId: id, title, call })),
    );
    const before = known.current;
    known.current = new Set(calls.map(({ key }) => key));
    const isWanted = isPossible() && Notification.permission === "granted" && notifications !== false;
    if (before === undefined || !document.hidden || !isWanted) return;
    for (const { key, threadId, title, call } of calls) {
      if (before.has(key)) continue;
      const shown = new Notification(texts.notification(call.title ?? call.name), { tag: key, body: title ?? "" });
      shown.addEventListener("click", () => {
        focus();
        location.assign(`${threadPlace(threadId)}#${encodeURIComponent(call.id)}`);
      });
    }
  }, [threads, connection, notifications, texts]);
}
