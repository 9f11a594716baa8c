import { useSyncExternalStore } from "react";

/** What a person chose in the settings. It is stored in the browser only. */
interface Preferences {
  /** Undefined follows the browser. */
  readonly language?: "en" | "zh" | undefined;
  /** Undefined follows the system. */
  readonly theme?: "light" | "dark" | undefined;
  readonly notifications?: boolean | undefined;
  /** The last reasons of rejections by a person, the newest first. Others who use the browser do not see them. */
  readonly reasons?: { readonly by: string; readonly texts: readonly string[] } | undefined;
}

const place = "undangle-studio";
const listeners = new Set<() => void>();
let current = read();

function read(): Preferences {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(place) ?? "{}");
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {}; // the storage is disabled or holds something else
  }
}

/** Changes preferences in every open tab. */
export function changePreferences(change: Preferences): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(place, JSON.stringify(current));
  } catch {
    // without storage they last until the page is closed
  }
  apply();
}

function apply(): void {
  const { theme } = current;
  if (theme === undefined) delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  for (const listener of listeners) listener();
}

/** Applies the stored preferences, now and whenever another tab changes them. */
export function startPreferences(): void {
  apply();
  addEventListener("storage", ({ key }) => {
    if (key !== place) return;
    current = read();
    apply();
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, () => current);
