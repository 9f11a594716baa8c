import { changePreferences } from "./preferences.ts";

type NotifyPermission = "default" | "granted" | "denied" | "unsupported";

/** What the browser permits. */
export function notifyPermission(): NotifyPermission {
  if (!("Notification" in globalThis)) return "unsupported";
  const { permission } = Notification;
  return permission === "default" && !canConstruct() ? "unsupported" : permission;
}

/** Chrome for Android has `Notification`, and refuses to construct one in a page. Without permission none is shown. */
function canConstruct(): boolean {
  try {
    new Notification("").close();
    return true;
  } catch {
    return false;
  }
}

/** Asks for permission. Browsers show the question only after a click. */
export async function requestNotifications(): Promise<NotifyPermission> {
  const given = await Notification.requestPermission();
  changePreferences({ notifications: given === "granted" });
  return given;
}

/** Shows a notification, if the browser can. Several tabs show one, because of its tag. */
export function notify(
  text: string,
  options: { readonly tag: string; readonly body: string },
  open: () => void,
): Notification | undefined {
  try {
    const shown = new Notification(text, options);
    shown.addEventListener("click", open);
    return shown;
  } catch {
    changePreferences({ notifications: false }); // permission that was given in another way does not help
    return undefined;
  }
}
