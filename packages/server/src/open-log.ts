import { existsSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { pino } from "pino";
import type { Logger } from "pino";
import type { Language } from "undangle";

export interface LogWish {
  /** The log file; by default stderr. */
  readonly log?: string | undefined;
  readonly folder: string;
  /** UNDANGLE_LOG sets the level. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Opens the logger of a server, which appends to a file or writes to stderr. An error states what is wrong. */
export function openLog({ log, folder, env }: LogWish, language: Language): Logger {
  const words = texts[language];
  const level = env["UNDANGLE_LOG"] ?? "info";
  if (!levels.includes(level)) throw new Error(words.badLevel(level, levels));
  const path = log === undefined ? undefined : resolve(folder, log);
  try {
    if (path !== undefined) makeFolder(dirname(path));
    const place = path === undefined ? 2 : openSync(path, "a", 0o600);
    return pino({ level, redact: secretPaths }, logStream(place));
  } catch (error) {
    if (error instanceof Error) throw new Error(words.unwritable(log ?? "stderr", error.message), { cause: error });
    throw error;
  }
}

/**
 * Writes log lines as JSON. Clients can put control characters and bidirectional marks into them. Those that
 * `JSON.stringify` leaves are escaped too, so that no line can control a terminal.
 */
export function logStream(place: number): { readonly write: (line: string) => void } {
  const destination = pino.destination(place);
  return { write: (line) => void destination.write(line.replaceAll(controls, escaped)) };
}

const controls = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--\n]/gv;

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("");

/** The thread folder is private to its owner and ignored by Git, even if the log is the first file in it. */
function makeFolder(path: string): void {
  const isOfThreads = basename(path) === ".undangle";
  mkdirSync(path, { recursive: true, ...(isOfThreads && { mode: 0o700 }) });
  const note = join(path, ".gitignore");
  if (isOfThreads && !existsSync(note)) writeFileSync(note, "*\n", { mode: 0o600 });
}

const levels = [...Object.values(pino.levels.labels), "silent"];

const secretPaths = ["req.headers.authorization", 'req.headers["x-api-key"]', "req.headers.cookie"];

interface Words {
  readonly badLevel: (level: string, known: readonly string[]) => string;
  readonly unwritable: (path: string, why: string) => string;
}

const texts: Readonly<Record<Language, Words>> = {
  en: {
    badLevel: (level, known) => `UNDANGLE_LOG=${level} is not a log level. Known: ${known.join(", ")}.`,
    unwritable: (path, why) => `The log cannot be written to ${path} (${why}). Choose another file with --log.`,
  },
  zh: {
    badLevel: (level, known) => `UNDANGLE_LOG=${level} 不是日志级别。可用的有：${known.join("、")}。`,
    unwritable: (path, why) => `日志无法写入 ${path}（${why}）；请用 --log 指定其他文件。`,
  },
};
