import { randomBytes } from "node:crypto";

import type { PostgresAnswer } from "./postgres-pool.ts";

const length = 8;

/** How many signs of tokens a row keeps: those of the last 32 writes. */
export const tokensKept = 32 * length;

/** A mark that no other write has. */
export const newToken = (): string => randomBytes((length * 3) / 4).toString("base64url");

/** True when a row keeps the mark of a write: it was done. */
export function hasToken(row: PostgresAnswer["rows"][number] | undefined, token: string): boolean {
  const tokens = row?.["tokens"];
  if (typeof tokens !== "string") return false;
  for (let at = tokens.indexOf(token); at !== -1; at = tokens.indexOf(token, at + 1)) {
    if (at % length === 0) return true;
  }
  return false;
}
