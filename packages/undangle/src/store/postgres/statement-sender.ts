import { createHash } from "node:crypto";

import { stateOf } from "./postgres-fault.ts";
import { send } from "./postgres-pool.ts";
import type { PostgresAnswer, PostgresPool } from "./postgres-pool.ts";

/** Sends a statement, whose text is one of a few. */
export type Send = (text: string, values: unknown[]) => Promise<PostgresAnswer>;

/**
 * Sends statements under names, so that the server works out only once how each is done: for a commit that is two thirds of
 * the time. A pooler that mixes connections may not know the names; then they are left out from there on.
 */
export function createSender(pool: PostgresPool): Send {
  const digests = new Map<string, string>();
  const counts = new Map<string, number>();
  let hasNames = true;

  return async (text, values) => {
    if (!hasNames) return send(pool, { text, values });
    try {
      return await send(pool, { text, values, name: nameFor(text) });
    } catch (error) {
      if (!forgotten.has(stateOf(error) ?? "")) throw error;
      hasNames = false;
      return send(pool, { text, values });
    }
  };

  /** What is best for an empty table is not for a full one: a statement that was sent ten times as often has another name. */
  function nameFor(text: string): string {
    const digest = digests.get(text) ?? createHash("sha256").update(text).digest("base64url").slice(0, 16);
    const count = (counts.get(text) ?? 0) + 1;
    digests.set(text, digest);
    counts.set(text, count);
    return `undangle_${digest}_${String(count).length}`;
  }
}

/** There is no statement of that name, or there is one already, or what it gives has changed. In each case nothing was done. */
const forgotten: ReadonlySet<string> = new Set(["26000", "42P05", "0A000"]);
