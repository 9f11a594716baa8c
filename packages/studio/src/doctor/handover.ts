/** The key of the session storage with which another view hands over a history, as JSON text. */
const place = "undangle-doctor";

/** Leaves a history for the doctor. Throws if it is larger than the storage of the browser. */
export function handOver(history: unknown): void {
  sessionStorage.setItem(place, JSON.stringify(history));
}

/** What another view left for the doctor, once. */
export function takeHandover(): string | null {
  try {
    const given = sessionStorage.getItem(place);
    sessionStorage.removeItem(place);
    return given;
  } catch {
    return null; // the storage is disabled
  }
}
