import { statSync } from "node:fs";
import { dirname } from "node:path";

import { isRecord, UndangleError } from "#core";
import type { ErrorData } from "#core";

/** The error of a database. An UndangleError is unchanged. */
export function faultOf(path: string, error: unknown): UndangleError {
  if (error instanceof UndangleError) return error;
  const code = resultCode(error);
  switch (code & 0xff) {
    case 5: // SQLITE_BUSY
    case 6: // SQLITE_LOCKED
      return new UndangleError("store/busy", { path, canRetry: true }, error);
    case 13: // SQLITE_FULL
      return new UndangleError("store/full", { path, canRetry: true }, error);
    case 11: // SQLITE_CORRUPT
    case 26: // SQLITE_NOTADB
      return new UndangleError("store/corrupt", { path, canRetry: false }, error);
    case 3: // SQLITE_PERM
    case 8: // SQLITE_READONLY
    case 14: // SQLITE_CANTOPEN
      return new UndangleError("store/path", { path, reason: reasonOf(path, code), canRetry: false }, error);
    case 10: // SQLITE_IOERR
      return failedWrites.has(code)
        ? new UndangleError("store/full", { path, canRetry: true }, error)
        : failed(path, error, true);
    case 1: // SQLITE_ERROR
      return error instanceof Error && otherTables.test(error.message)
        ? new UndangleError("store/corrupt", { path, canRetry: false }, error)
        : failed(path, error, false);
    default:
      if (isRecord(error) && error["code"] === "ERR_INVALID_STATE") {
        return new UndangleError("store/closed", { path, canRetry: false }, error);
      }
      if (isRecord(error) && error["syscall"] === "stat") {
        return new UndangleError("store/path", { path, reason: reasonOf(path, code), canRetry: false }, error);
      }
      return failed(path, error, mayPass.has(code & 0xff));
  }
}

function failed(path: string, error: unknown, canRetry: boolean): UndangleError {
  const reason = error instanceof Error ? error.message : String(error);
  return new UndangleError("store/failed", { path, reason, canRetry }, error);
}

/** True if another process holds the lock. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error) & 0xff;
  return code === 5 || code === 6;
}

/** The errors of SQLite for tables that do not match the statements. */
const otherTables = /^(?:no such (?:table|column)|table .* (?:already exists|has no column))/u;

/** The errors of a full disk or quota on write, sync, truncation and index growth. */
const failedWrites: ReadonlySet<number> = new Set([778, 1034, 1546, 4874]);

/** Out of memory, and a lost lock race. */
const mayPass: ReadonlySet<number> = new Set([7, 15]);

/** The extended result code of SQLite; 0 for any other error. */
function resultCode(error: unknown): number {
  return isRecord(error) && typeof error["errcode"] === "number" ? error["errcode"] : 0;
}

/** The reason why a path cannot be used, as far as the file system shows. */
function reasonOf(path: string, code: number): ErrorData["store/path"]["reason"] {
  if (code === 1032) return "moved"; // SQLITE_READONLY_DBMOVED
  if (path.startsWith("file:")) return "unknown";
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return "is-folder";
    if (found?.isFile() === false) return "no-file";
    return statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true ? "not-allowed" : "no-folder";
  } catch (error) {
    const why = isRecord(error) ? error["code"] : undefined;
    if (why === "ENOTDIR") return "no-folder";
    return why === "EACCES" || why === "EPERM" ? "not-allowed" : "unknown"; // a name that is too long, or a loop of links
  }
}
