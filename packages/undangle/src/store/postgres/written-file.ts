import { Buffer } from "node:buffer";

import { lastChanges } from "../file-changes.ts";
import type { FileChange } from "../store.ts";

/** A serialized change of a file. */
export interface WrittenFile {
  readonly path: string;
  readonly size: number;
  /** Base64, or null to delete the file. Drivers send an array of bytes as hexadecimal text, which is half as dense. */
  readonly data: string | null;
  /** The expected version of a shared file. */
  readonly version: number | undefined;
}

/** Serializes changes in their current state, the last of each path. */
export function writeFiles(changes: readonly (FileChange & { readonly version?: number | undefined })[] = []) {
  return lastChanges(changes).map(({ path, data, version }): WrittenFile => ({
    path,
    size: data?.byteLength ?? 0,
    data: data === null ? null : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64"),
    version,
  }));
}

/** Transposes rows, because parameters are arrays of columns. */
export const columns = (rows: readonly (readonly unknown[])[], count: number): readonly unknown[][] =>
  Array.from({ length: count }, (_, column) => rows.map((row) => row[column]));
