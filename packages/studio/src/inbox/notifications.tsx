import { useEffect, useRef, useState } from "react";

import { useQueue } from "../api/queue.ts";
import { Button } from "../parts/button.tsx";
import { notify, notifyPermission, requestNotifications } from "../shell/notify.ts";
import { usePreferences } from "../shell/preferences.ts";
import { threadPlace } from "../shell/thread-list.tsx";
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

/** Notifies of new pending calls while the page is not visible. */
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
    const isWanted = notifyPermission() === "granted" && notifications !== false;
    if (before === undefined || !document.hidden || !isWanted) return;
    for (const { key, threadId, title, call } of calls) {
      if (before.has(key)) continue;
      notify(texts.notification(call.title ?? call.name), { tag: key, body: title ?? "" }, () => {
        focus();
        location.assign(`${threadPlace(threadId)}#${encodeURIComponent(call.id)}`);
      });
    }
  }, [threads, connection, notifications, texts]);
}
