import { inspect } from "node:util";

import { UndangleError } from "#core";
import { describe, expect, test } from "vitest";

import { nameOf } from "./database-name.ts";
import { fateOf, faultOf, unknownOutcome } from "./postgres-fault.ts";
import type { Fate } from "./postgres-fault.ts";
import { NoConnection } from "./postgres-pool.ts";
import type { PostgresPool } from "./postgres-pool.ts";

const name = { path: "postgres://server:5432/app", secrets: ["hunter2"] };

/** An error as `pg` makes it of one that the server tells. */
const told = (code: string, message = `error ${code}`): Error =>
  Object.assign(new Error(message), { code, severity: "ERROR" });

const errors: readonly (readonly [state: string, what: string, fate: Fate, code: string, canRetry: boolean])[] = [
  ["40001", "serialization_failure", "clash", "store/busy", true],
  ["40P01", "deadlock_detected", "clash", "store/busy", true],
  ["55P03", "lock_not_available", "busy", "store/busy", true],
  ["57014", "query_canceled", "busy", "store/busy", true],
  ["53100", "disk_full", "refused", "store/full", true],
  ["53200", "out_of_memory", "refused", "store/failed", true],
  ["53300", "too_many_connections", "refused", "store/failed", true],
  ["57P01", "admin_shutdown", "lost", "store/failed", true],
  ["57P02", "crash_shutdown", "lost", "store/failed", true],
  ["57P03", "cannot_connect_now", "refused", "store/failed", true],
  ["08006", "connection_failure", "lost", "store/failed", true],
  ["40003", "statement_completion_unknown", "lost", "store/failed", true],
  ["58030", "io_error", "refused", "store/failed", true],
  ["25006", "read_only_sql_transaction", "refused", "store/path", true],
  ["3D000", "invalid_catalog_name", "refused", "store/path", false],
  ["3F000", "invalid_schema_name", "refused", "store/path", false],
  ["28P01", "invalid_password", "refused", "store/path", false],
  ["28000", "invalid_authorization_specification", "refused", "store/path", false],
  ["42501", "insufficient_privilege", "refused", "store/path", false],
  ["22021", "character_not_in_repertoire", "refused", "store/path", false],
  ["XX001", "data_corrupted", "refused", "store/corrupt", false],
  ["54000", "program_limit_exceeded", "refused", "store/failed", false],
  ["42P01", "undefined_table", "refused", "store/failed", false],
];

describe("what a server says", () => {
  test.each(errors)("%s, %s, is %s and %s", (...[state, , fate, code, canRetry]) => {
    const error = told(state);
    expect(fateOf(error)).toBe(fate);
    const fault = faultOf(name, error);
    expect(fault).toMatchObject({ code, cause: error, data: { path: name.path, canRetry } });
    expect(fault.message).toContain(name.path);
    expect(faultOf(name, new NoConnection("none", { cause: error }))).toMatchObject({ code });
  });
});

describe("what a network says", () => {
  const lost = [
    Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }),
    Object.assign(new Error("write EPIPE"), { code: "EPIPE" }),
    new Error("Connection terminated unexpectedly"),
    new Error("Query read timeout"),
  ];

  test.each(lost)("%s leaves it open what came of a statement", (error) => {
    expect(fateOf(error)).toBe("lost");
    expect(faultOf(name, error)).toMatchObject({ code: "store/failed", data: { canRetry: true } });
    expect(faultOf(name, error).message).toContain("the connection was lost");
    expect(unknownOutcome(name, error).message).toContain("may or may not be saved");
  });

  const away = [
    ["ECONNREFUSED", "no server responds at that address"],
    ["ENOTFOUND", "the host name of the server is unknown"],
    ["ETIMEDOUT", "the connection was lost or could not be opened (ETIMEDOUT)"],
  ] as const;

  test.each(away)("%s is told as: %s", (code, words) => {
    const error = new NoConnection("none", { cause: Object.assign(new AggregateError([]), { code }) });
    expect(fateOf(error)).toBe("unsent");
    expect(faultOf(name, error)).toMatchObject({ code: "store/failed", data: { reason: words, canRetry: true } });
  });

  test("what stays wrong is not tried again", () => {
    const unfit = new NoConnection("none", { cause: new Error("The server does not support SSL connections") });
    expect(faultOf(name, unfit)).toMatchObject({ code: "store/failed", data: { canRetry: false } });
    const noPassword = new NoConnection("none", { cause: new Error("SASL: client password must be a string") });
    expect(faultOf(name, noPassword)).toMatchObject({ code: "store/path", data: { reason: "no-login" } });
  });
});

test("what this process does wrong is refused, and one of our errors stays what it is", () => {
  expect(fateOf(new TypeError("cyclic"))).toBe("refused");
  expect(faultOf(name, new TypeError("cyclic"))).toMatchObject({ code: "store/failed", data: { reason: "cyclic" } });
  const ours = new UndangleError("store/closed", { path: "x", canRetry: false });
  expect([fateOf(ours), faultOf(name, ours)]).toEqual(["refused", ours]);
});

describe("names and secrets", () => {
  const never = (): Promise<never> => Promise.reject(new Error("only its options are looked at"));
  const pool = (options: object): PostgresPool => ({ connect: never, end: never, on: never, options });

  const named: readonly (readonly [options: object, path: string, secrets: readonly string[]])[] = [
    [{ host: "db", port: 6543, database: "app", password: "hunter2" }, "postgres://db:6543/app", ["hunter2"]],
    [
      { connectionString: "postgres://me:hunter2%21@db.example:6543/my%20app?sslmode=require" },
      "postgres://db.example:6543/my app",
      ["hunter2%21", "hunter2!"],
    ],
    [{ connectionString: "postgres:///app?host=/var/run/postgresql" }, "postgres:///var/run/postgresql:5432/app", []],
    [{ connectionString: "not an address: hunter2" }, "postgres://localhost:5432/", []],
    [{ password: () => "later" }, "postgres://localhost:5432/", []],
  ];

  test.each(named)("%j is %s", (options, path, secrets) => {
    const { PGHOST, PGPORT, PGDATABASE } = process.env;
    for (const variable of ["PGHOST", "PGPORT", "PGDATABASE"]) delete process.env[variable];
    const found = nameOf(pool(options));
    Object.assign(process.env, JSON.parse(JSON.stringify({ PGHOST, PGPORT, PGDATABASE }))); // without what is undefined
    expect(found.path).toBe(path);
    expect(found.secrets).toEqual(expect.arrayContaining([...secrets]));
  });

  test("no error shows a secret, also where the driver's own error does", () => {
    const careless = Object.assign(new TypeError("Invalid URL"), { input: "postgres://me:hunter2@db" });
    const loud = new Error("cannot log in with hunter2");
    for (const error of [careless, loud, new NoConnection("none", { cause: loud })]) {
      for (const fault of [faultOf(name, error), unknownOutcome(name, error)]) {
        expect(inspect(fault, { depth: 9, showHidden: true })).not.toContain("hunter2");
      }
    }
  });
});
