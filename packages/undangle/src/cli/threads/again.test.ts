import { expect, test } from "vitest";

import { commandAbout } from "./again.ts";

test("a command can be copied as it stands, and goes to the same store", () => {
  expect(commandAbout("restore", ["t1", "my thread", "it's"], { store: "a b.db", config: "other.ts" })).toBe(
    String.raw`undangle threads restore t1 'my thread' 'it'\''s' --store 'a b.db' --config other.ts`,
  );
});

test.each([
  ["postgres://me:secret@host/db", "postgres://me@host/db"],
  ["postgres://me:sec@ret@host/db", "postgres://me@host/db"],
  ["postgres://host/db?user=me&password=secret", "'postgres://host/db?user=me'"],
  ["postgres://me:secret@host:not-a-port/db", "postgres://host:not-a-port/db"],
])("%s has no password in it any more", (store, shown) => {
  expect(commandAbout("list", [], { store })).toBe(`undangle threads list --store ${shown}`);
});

test("an id cannot steer the terminal", () => {
  expect(commandAbout("show", ["\u001B[2J"], {})).toBe(String.raw`undangle threads show '\x1b[2J'`);
});

test("an id that looks like an option stands behind those", () => {
  expect(commandAbout("decide", ["-7"], { store: "a.db" }, ["--approve", "call_1"])).toBe(
    "undangle threads decide --approve call_1 --store a.db -- -7",
  );
  expect(commandAbout("list", [], { store: "-a.db" })).toBe("undangle threads list --store=-a.db");
});
