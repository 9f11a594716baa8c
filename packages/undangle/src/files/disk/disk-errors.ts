import { UndangleError } from "#core";

/**
 * The error of an operation on a disk for the path that the caller gave. The error of the system is not its cause: it
 * names a path of the host.
 */
export function diskError(path: string, error: unknown): Error {
  if (error instanceof UndangleError) return error;
  if (!(error instanceof Error)) return new UndangleError("file/failed", { path, reason: "of an unknown error" });
  if (!("code" in error) || typeof error.code !== "string") return error; // a bug, or an abort
  switch (error.code) {
    case "ABORT_ERR":
      return error;
    case "ENOENT":
    case "ENOTDIR":
      return new UndangleError("file/missing", { path });
    case "EISDIR":
      return new UndangleError("file/is-directory", { path });
    case "EROFS":
      return new UndangleError("file/read-only", { path });
    case "ELOOP": // it was replaced by a link after it was looked at
      return new UndangleError("file/outside", { path });
    default:
      return new UndangleError("file/failed", { path, reason: reasons.get(error.code) ?? `of ${error.code}` });
  }
}

const reasons = new Map([
  ["EACCES", "permission is denied"],
  ["EPERM", "permission is denied"],
  ["ENOSPC", "no space is left on the disk"],
  ["EDQUOT", "the quota of the disk is used up"],
  ["EMFILE", "too many files are open"],
  ["ENFILE", "too many files are open"],
  ["ENAMETOOLONG", "the name is too long for the disk"],
  ["ENOTEMPTY", "another program writes into the directory"],
  ["EBUSY", "another program uses it"],
  ["EFBIG", "it is too large for the disk"],
]);

/** True for an error of the system with one of the codes. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" && codes.includes(error.code);
