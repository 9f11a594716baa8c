import { UndangleError } from "#core";
import { expect, test } from "vitest";

import { faultOf, isBusy } from "./sqlite-fault.ts";

const errors: readonly (readonly [errcode: number, name: string, code: string, canRetry: boolean])[] = [
  [5, "SQLITE_BUSY", "store/busy", true],
  [261, "SQLITE_BUSY_RECOVERY", "store/busy", true],
  [517, "SQLITE_BUSY_SNAPSHOT", "store/busy", true],
  [6, "SQLITE_LOCKED", "store/busy", true],
  [13, "SQLITE_FULL", "store/full", true],
  [778, "SQLITE_IOERR_WRITE", "store/full", true],
  [1034, "SQLITE_IOERR_FSYNC", "store/full", true],
  [4874, "SQLITE_IOERR_SHMSIZE", "store/full", true],
  [266, "SQLITE_IOERR_READ", "store/failed", true],
  [7, "SQLITE_NOMEM", "store/failed", true],
  [11, "SQLITE_CORRUPT", "store/corrupt", false],
  [267, "SQLITE_CORRUPT_VTAB", "store/corrupt", false],
  [26, "SQLITE_NOTADB", "store/corrupt", false],
  [14, "SQLITE_CANTOPEN", "store/path", false],
  [8, "SQLITE_READONLY", "store/path", false],
  [1032, "SQLITE_READONLY_DBMOVED", "store/path", false],
  [1, "SQLITE_ERROR", "store/failed", false],
  [18, "SQLITE_TOOBIG", "store/failed", false],
];

test.each(errors)("%i, %s, is %s", (errcode, name, code, canRetry) => {
  const cause = Object.assign(new Error(name), { code: "ERR_SQLITE_ERROR", errcode });
  const fault = faultOf("a.db", cause);
  expect(fault).toMatchObject({ code, cause, data: { path: "a.db", canRetry } });
  expect(fault.message).toContain("a.db");
  expect(isBusy(cause)).toBe(code === "store/busy");
});

test("an error of another kind has failed, and one of ours stays what it is", () => {
  expect(faultOf("a.db", new TypeError("cyclic"))).toMatchObject({ code: "store/failed", data: { reason: "cyclic" } });
  expect(faultOf("a.db", "just text")).toMatchObject({ code: "store/failed", data: { reason: "just text" } });
  const ours = new UndangleError("store/closed", { path: "a.db", canRetry: false });
  expect(faultOf("a.db", ours)).toBe(ours);
});
