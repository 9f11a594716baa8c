/** The history that another view of this page has left, as JSON text. It may be larger than the storage of a browser. */
let left: string | undefined;

/** Leaves a history for the doctor. */
export function handOver(history: unknown): void {
  left = JSON.stringify(history);
}

/** What another view left for the doctor, once. */
export function takeHandover(): string | undefined {
  const given = left;
  left = undefined;
  return given;
}
