import { existsSync } from "node:fs";
import { appendFile, chmod, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { defaultStorePath } from "#config";
import { parseJson } from "#core";

import { isSystemError } from "../input/system-fault.ts";

/** What a person said in earlier chats of a folder. */
export interface SavedHistory {
  load(): Promise<readonly string[]>;
  add(text: string): Promise<void>;
}

const mostKept = 1000;

/** The history beside the threads of a folder, one JSON text a line, for its owner only; none where there is no such folder. */
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

/** What is in a file; nothing where it cannot be read: one can talk without that, and `add` says what is wrong with it. */
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

/** The text of a line; none of one that was cut off by a crash. */
function textIn(line: string): readonly string[] {
  const value = parseJson(line);
  return typeof value === "string" ? [value] : [];
}
