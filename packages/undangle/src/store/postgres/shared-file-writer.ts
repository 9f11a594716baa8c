import { UndangleError } from "#core";

import { escapeText, unescapeText } from "../escape-text.ts";
import type { Row } from "../sql/stored-rows.ts";
import type { SharedFileChange } from "../store.ts";
import type { CommitQueueOptions } from "./commit-queue.ts";
import { bigint } from "./postgres-dialect.ts";
import { inTransaction } from "./postgres-pool.ts";
import type { PostgresPool } from "./postgres-pool.ts";
import { retryUntilKnown } from "./retry-unknown-commit.ts";
import { createWriteOrder } from "./write-order.ts";
import { hasToken, newToken, tokensKept } from "./write-token.ts";
import { columns, writeFiles } from "./written-file.ts";
import type { WrittenFile } from "./written-file.ts";

export interface SharedFileWriter {
  readonly write: (
    namespace: string,
    changes: readonly SharedFileChange[],
    options: { readonly at: number },
  ) => Promise<void>;
}

export interface SharedFileWriterOptions extends Pick<CommitQueueOptions, "name" | "prefix" | "patience"> {
  /** Creates the tables. */
  readonly open: () => Promise<void>;
}

/**
 * Writes shared files in a transaction. Its first statement locks the namespace, so that the second one sees everything
 * that earlier writers have committed.
 */
export function createSharedFileWriter(
  pool: PostgresPool,
  { name, prefix, patience, open }: SharedFileWriterOptions,
): SharedFileWriter {
  const nextVersion = `INSERT INTO ${prefix}undangle_namespaces AS stored (name, version) VALUES ($1, 1)
    ON CONFLICT (name) DO UPDATE SET version = stored.version + 1 RETURNING key, version, tokens`;
  const apply = applyStatement(prefix);
  const inOrder = createWriteOrder();

  return {
    async write(namespace, changes, { at }) {
      const id = escapeText(namespace);
      const files = writeFiles(changes);
      if (files.length === 0) return;
      const stale = await inOrder(id, () => write(id, files, at));
      if (stale === undefined) return;
      throw new UndangleError("store/stale", {
        key: unescapeText(String(stale["path"])),
        expected: Number(stale["expected"]),
        actual: Number(stale["actual"]),
        canRetry: false,
      });
    },
  };

  /** Returns the first file with another version than expected. */
  async function write(id: string, files: readonly WrittenFile[], at: number): Promise<Row | undefined> {
    const token = newToken();
    const given = files.map(({ path, version, size, data }) => [path, version ?? null, size, data]);
    await open();
    return retryUntilKnown(
      () =>
        inTransaction(pool, async (client) => {
          const namespaces = await client.query({ text: nextVersion, values: [id] });
          const [row] = namespaces.rows;
          if (row === undefined || hasToken(row, token)) return undefined; // an earlier attempt succeeded
          // A refused write only increases the counter, which costs less than a rollback and a new connection.
          const values = [row["key"], row["version"], bigint(at), ...columns(given, 4), token];
          return (await client.query({ text: apply, values })).rows[0];
        }),
      { name, patience },
    );
  }
}

/**
 * Applies all changes and stores the token if every file has its expected version. Otherwise it returns the files that do
 * not, and a retry returns them again.
 */
const applyStatement = (prefix: string): string => `
WITH given AS MATERIALIZED (
  SELECT * FROM unnest($4::text[], $5::bigint[], $6::bigint[], $7::text[]) WITH ORDINALITY
    AS given (path, version, size, data, place)
), stale AS MATERIALIZED (
  SELECT given.path, given.place, given.version AS expected, coalesce(stored.version, 0) AS actual
  FROM given LEFT JOIN ${prefix}undangle_shared_files AS stored
    ON stored.namespace = $1::bigint AND stored.path = given.path
  WHERE given.version <> coalesce(stored.version, 0)
), put AS (
  INSERT INTO ${prefix}undangle_shared_files (namespace, path, version, size, created_at, modified_at, data)
  SELECT $1::bigint, path, $2::bigint, size, $3::bigint, $3::bigint, decode(data, 'base64') FROM given
  WHERE data IS NOT NULL AND NOT EXISTS (SELECT 1 FROM stale)
  ON CONFLICT (namespace, path) DO UPDATE SET version = excluded.version, size = excluded.size,
    modified_at = excluded.modified_at, data = excluded.data
), dropped AS (
  DELETE FROM ${prefix}undangle_shared_files AS stored USING given
  WHERE stored.namespace = $1::bigint AND stored.path = given.path AND given.data IS NULL
    AND NOT EXISTS (SELECT 1 FROM stale)
), noted AS (
  UPDATE ${prefix}undangle_namespaces SET tokens = left($8 || tokens, ${tokensKept})
  WHERE key = $1::bigint AND NOT EXISTS (SELECT 1 FROM stale)
)
SELECT path, expected, actual FROM stale ORDER BY place`;
