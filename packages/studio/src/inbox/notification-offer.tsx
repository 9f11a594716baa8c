import { useState } from "react";

import { Button } from "../parts/controls/button.tsx";
import { notifyPermission, requestNotifications } from "../shell/notify.ts";
import { usePreferences } from "../shell/preferences.ts";
import { inboxTexts } from "../texts/inbox-texts.ts";
import { useTexts } from "../texts/language.tsx";

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
