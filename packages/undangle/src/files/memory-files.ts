import type { FileBackend } from "./file-backend.ts";
import { type FileRowContent, flatFiles } from "./flat-files.ts";

/** Files in the memory of the process, for tests and short programs. */
export function memoryFiles(contents: Readonly<Record<string, string | Uint8Array>> = {}): FileBackend {
  const rows = new Map<string, FileRowContent>();
  const put = (path: string, data: Uint8Array): void => {
    const at = Date.now();
    const createdAt = rows.get(path)?.createdAt ?? at;
    rows.set(path, { path, data: data.slice(), size: data.length, createdAt, modifiedAt: at });
  };
  for (const [path, content] of Object.entries(contents))
    put(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
  return flatFiles({
    list: async (prefix, limit = Infinity) => {
      const found: FileRowContent[] = [];
      for (const row of rows.values()) {
        if (found.length >= limit) break;
        if (row.path.startsWith(prefix)) found.push(row);
      }
      return found;
    },
    read: async (path) => {
      const row = rows.get(path);
      return row === undefined ? undefined : { ...row, data: row.data.slice() };
    },
    write: async (changes) => {
      for (const { path, data } of changes) {
        if (data === null) rows.delete(path);
        else put(path, data);
      }
    },
  });
}
