import { createHash } from "node:crypto";

import { stateOf } from "./postgres-fault.ts";
import { send } from "./postgres-pool.ts";
import type { PostgresAnswer, PostgresPool } from "./postgres-pool.ts";

/** Sends one of a few statements. */
export type Send = (text: string, values: unknown[]) => Promise<PostgresAnswer>;

/**
 * Sends named statements, so that the server plans each once, which is two thirds of a commit. A transaction pooler may
 * not know the names; they are omitted from then on.
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

  /**
   * The best plan of an empty table is not that of a full one. After ten times as many uses, a statement gets a new
   * name.
   */
  function nameFor(text: string): string {
    const digest = digests.get(text) ?? createHash("sha256").update(text).digest("base64url").slice(0, 16);
    const count = (counts.get(text) ?? 0) + 1;
    digests.set(text, digest);
    counts.set(text, count);
    return `undangle_${digest}_${String(count).length}`;
  }
}

/** The statement does not exist, already exists, or has another result type. In each case nothing was done. */
const forgotten: ReadonlySet<string> = new Set(["26000", "42P05", "0A000"]);
