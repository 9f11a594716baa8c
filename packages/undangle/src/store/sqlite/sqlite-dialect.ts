import type { Dialect } from "../schema.ts";

export const sqliteDialect: Dialect = {
  prefix: "",
  counted: "INTEGER PRIMARY KEY",
  word: "TEXT",
  bytes: "BLOB",
  position: "instr",
};
