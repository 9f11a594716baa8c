import { escapeText } from "./escape-text.ts";
import type { FileChange } from "./store.ts";

/** The last change of each path, with the path as it is stored and a copy of its data, which the caller may change later. */
export function lastChanges<Change extends FileChange>(changes: readonly Change[] = []): readonly Change[] {
  if (changes.length === 0) return [];
  const last = new Map(changes.map((change) => [change.path, change]));
  return [...last.values()].map((change) => ({
    ...change,
    path: escapeText(change.path),
    data: change.data === null ? null : copyBytes(change.data),
  }));
}

/** A plain array also for a Buffer. A text of an untyped program would become an empty file. */
export function copyBytes(data: Uint8Array): Uint8Array {
  if (!ArrayBuffer.isView(data)) throw new TypeError("The data of a file must be a Uint8Array or null.");
  return new Uint8Array(data);
}
