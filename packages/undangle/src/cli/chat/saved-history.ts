import { existsSync } from "node:fs";
import { appendFile, chmod, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { defaultStorePath } from "#config";
import { parseJson } from "#core";

import { isSystemError } from "../input/system-fault.ts";

/** The messages of earlier chats in a folder. */
export interface SavedHistory {
  load(): Promise<readonly string[]>;
  add(text: string): Promise<void>;
}

const mostKept = 1000;

/**
 * The history beside the threads of a folder: one JSON string per line, readable only by its owner. Empty without such
 * a folder.
 */
export function savedHistory(folder: string): SavedHistory {
  const path = join(dirname(defaultStorePath(folder)), "history");
  const isThere = (): boolean => existsSync(dirname(path));
  return {
    async load() {
      const lines = (await readIfPossible(path)).split("\n").flatMap(textIn);
      if (lines.length > mostKept * 2) await rewrite(path, lines.slice(-mostKept));
      return lines.slice(-mostKept);
    },
    async add(text) {
      if (!isThere()) return;
      await appendFile(path, `${JSON.stringify(text)}\n`, { mode: 0o600 });
    },
  };
}

/** The content of a file, or nothing if it cannot be read. `add` reports the error. */
async function readIfPossible(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return "";
  }
}

async function rewrite(path: string, lines: readonly string[]): Promise<void> {
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
  await chmod(path, 0o600);
}

/** The text of a line; none if a crash truncated it. */
function textIn(line: string): readonly string[] {
  const value = parseJson(line);
  return typeof value === "string" ? [value] : [];
}
