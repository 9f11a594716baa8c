import { signedIn } from "./session.ts";

const known = new Map<string, string>();

/** The storage of a tab outlives a session: what one person wrote is not shown to the next one. */
const placeOf = (use: string, key: readonly string[]): string =>
  `undangle-${use} ${JSON.stringify([signedIn(), ...key])}`;

/** A text of the person who uses the page. It survives leaving the view and a reload. Empty if there is none. */
export function keptText(use: string, key: readonly string[]): string {
  const place = placeOf(use, key);
  const text = known.get(place) ?? stored(place);
  known.set(place, text);
  return text;
}

function stored(place: string): string {
  try {
    return sessionStorage.getItem(place) ?? "";
  } catch {
    return ""; // the storage is disabled
  }
}

/** Keeps a text; an empty one removes it. */
export function keepText(use: string, key: readonly string[], text: string): void {
  const place = placeOf(use, key);
  known.set(place, text);
  try {
    sessionStorage.removeItem(place); // an older text must not come back if this one does not fit
    if (text !== "") sessionStorage.setItem(place, text);
  } catch {
    // the storage is full or disabled: the text lasts until the page is closed
  }
}
