import type { DatabaseSync } from "node:sqlite";

import { UndangleError } from "#core";

import { escapeText } from "../escape-text.ts";

export interface ValueWriter {
  /** Serializes the value at once, and writes it when the returned function is called. */
  readonly write: (key: string, value: unknown, version: number) => () => void;
}

export function createValueWriter(database: DatabaseSync): ValueWriter {
  const create = database.prepare(
    "INSERT INTO undangle_values (key, version, value) VALUES (?, 1, ?) ON CONFLICT (key) DO NOTHING",
  );
  const update = database.prepare(
    "UPDATE undangle_values SET version = version + 1, value = ? WHERE key = ? AND version = ?",
  );
  const readVersion = database.prepare("SELECT version FROM undangle_values WHERE key = ?");

  return {
    write(key, value, version) {
      const id = escapeText(key);
      const text = JSON.stringify(value) ?? "null"; // undefined becomes null, as in a list
      return () => {
        const { changes } = version === 0 ? create.run(id, text) : update.run(text, id, version);
        if (Number(changes) > 0) return;
        const actual = Number(readVersion.get(id)?.["version"] ?? 0);
        throw new UndangleError("store/stale", { key, expected: version, actual, canRetry: false });
      };
    },
  };
}
