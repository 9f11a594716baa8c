import type { Dialect } from "../schema.ts";

/** How SQLite is told. */
export const sqliteDialect: Dialect = {
  prefix: "",
  counted: "INTEGER PRIMARY KEY",
  word: "TEXT",
  position: "instr",
};
