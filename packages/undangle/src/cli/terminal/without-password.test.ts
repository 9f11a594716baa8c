import { describe, expect, test } from "vitest";

import { withoutPassword } from "./without-password.ts";

describe("an address is shown without its password", () => {
  test.each([
    ["postgres://me:secret@host/db", "postgres://me@host/db"],
    ["postgres://me:sec@ret@host/db", "postgres://me@host/db"],
    ["postgres://host/db?password=secret&sslmode=require", "postgres://host/db?sslmode=require"],
    ["postgres://me:secret@[/db", "postgres://[/db"],
    ["threads.db", "threads.db"],
  ])("%s", (given, shown) => {
    expect(withoutPassword(given)).toBe(shown);
  });
});
