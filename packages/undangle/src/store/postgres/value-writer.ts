import { UndangleError } from "#core";

import { escapeText } from "../escape-text.ts";
import type { CommitQueueOptions } from "./commit-queue.ts";
import { bigint } from "./postgres-dialect.ts";
import { retryUntilKnown } from "./retry-unknown-commit.ts";
import { createWriteOrder } from "./write-order.ts";
import { hasToken, newToken, tokensKept } from "./write-token.ts";

/** Writes values in order. */
export interface ValueWriter {
  readonly write: (key: string, value: unknown, version: number) => Promise<void>;
}

export function createValueWriter({ name, prefix, patience, send }: Omit<CommitQueueOptions, "onEvents">): ValueWriter {
  const table = `${prefix}undangle_values`;
  const create = `INSERT INTO ${table} (key, version, tokens, value) VALUES ($1, 1, $2, $3) ON CONFLICT (key) DO NOTHING`;
  const update = `UPDATE ${table} SET version = version + 1, tokens = left($2 || tokens, ${tokensKept}), value = $3
    WHERE key = $1 AND version = $4`;
  const readVersion = `SELECT version, tokens FROM ${table} WHERE key = $1`;
  const inOrder = createWriteOrder();

  return {
    write(key, value, version) {
      const text = JSON.stringify(value) ?? "null"; // undefined becomes null, as in a list
      return inOrder(key, () => write(key, text, version));
    },
  };

  async function write(key: string, text: string, version: number): Promise<void> {
    const [id, token] = [escapeText(key), newToken()];
    const given = version === 0 ? [id, token, text] : [id, token, text, bigint(version)];
    await retryUntilKnown(
      async () => {
        const { rowCount } = await send(version === 0 ? create : update, given);
        if (rowCount !== 0) return;
        const { rows } = await send(readVersion, [id]);
        if (hasToken(rows[0], token)) return; // an earlier attempt succeeded
        const actual = Number(rows[0]?.["version"] ?? 0);
        throw new UndangleError("store/stale", { key, expected: version, actual, canRetry: false });
      },
      { name, patience },
    );
  }
}
