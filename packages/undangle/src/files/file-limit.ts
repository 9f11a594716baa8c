import { UndangleError } from "#core";

/** The largest file that a backend reads and writes, in bytes. */
export const maxFileBytes = 10 * 1024 * 1024;

export function refuseLarge(path: string, size: number): void {
  if (size > maxFileBytes) throw new UndangleError("file/too-large", { path, size, limit: maxFileBytes });
}
