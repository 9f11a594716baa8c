import { describe, expect, test } from "vitest";

import { withoutPassword } from "./without-password.ts";

describe("an address is shown without its password", () => {
  test.each([
    ["postgres://me:secret@host/db", "postgres://me@host/db"],
    ["postgres://me:sec@ret@host/db", "postgres://me@host/db"],
    ["postgres://me@host:5433/db?sslmode=require", "postgres://me@host:5433/db?sslmode=require"],
    ["postgres://host/db?password=secret&sslmode=require", "postgres://host/db?sslmode=require"],
    ["postgres://host/db?sslmode=require&sslpassword=secret", "postgres://host/db?sslmode=require"],
    ["postgres://me:secret@[/db", "postgres://[/db"],
    ["postgres://me:secret@/db?host=/run&password=secret", "postgres:///db?host=/run"],
    ["postgres:me:secret@host/db", "postgres:host/db"],
    ["POSTGRESQL://me:secret@host/db", "postgresql://me@host/db"],
  ])("%s", (given, shown) => {
    expect(withoutPassword(given)).toBe(shown);
  });

  test.each([
    "threads.db",
    "/home/me@work/threads.db",
    "sqlite:/a:b@c/threads.db",
    String.raw`C:\me@work\threads.db`,
    "memory",
  ])("%s is no address, and stays as it is", (path) => {
    expect(withoutPassword(path)).toBe(path);
  });
});
