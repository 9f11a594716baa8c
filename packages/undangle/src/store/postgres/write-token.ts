import { randomBytes } from "node:crypto";

import type { PostgresAnswer } from "./postgres-pool.ts";

const length = 8;

/** The length of the stored tokens: those of the last 32 writes. */
export const tokensKept = 32 * length;

/** A unique token of a write. */
export const newToken = (): string => randomBytes((length * 3) / 4).toString("base64url");

/** True if the row has the token of a write, so the write was done. */
export function hasToken(row: PostgresAnswer["rows"][number] | undefined, token: string): boolean {
  const tokens = row?.["tokens"];
  if (typeof tokens !== "string") return false;
  for (let at = tokens.indexOf(token); at !== -1; at = tokens.indexOf(token, at + 1)) {
    if (at % length === 0) return true;
  }
  return false;
}
