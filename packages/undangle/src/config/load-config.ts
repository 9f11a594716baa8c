import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, relative, resolve } from "node:path";

import { isRecord, UndangleError } from "#core";

import { checkAgent, checkConfig } from "./check-config.ts";
import type { PlaceOf } from "./check-record.ts";
import type { AgentConfig, Config } from "./config.ts";
import { findKey } from "./find-key.ts";
import type { KeyPath } from "./find-key.ts";
import { importModule } from "./import-module.ts";
import { loadFault } from "./load-fault.ts";

/** A checked config from a file. */
export interface LoadedConfig {
  readonly config: Config;
  /** The file (empty for an inline config), and the base folder of relative paths. */
  readonly path: string;
  readonly folder: string;
  /** FILE:LINE:COLUMN of a key with a readable file name; FILE if it is unknown. */
  placeOf(key: KeyPath): string;
}

/** Loads the given file, or the one of a folder; undefined if the folder has none. */
export async function loadConfig(options: {
  readonly path?: string | undefined;
  /** The working directory. */
  readonly folder: string;
}): Promise<LoadedConfig | undefined> {
  const { folder } = options;
  const path = options.path === undefined ? fileIn(folder) : resolve(folder, options.path);
  if (path === undefined) return undefined;
  const { value, placeOf, checked } = await read(path, folder);
  const config = await checked(() => asConfig(value, placeOf));
  return { config, path, folder: dirname(path), placeOf };
}

/** Loads a file whose default export is an agent config or a whole config. */
export async function loadAgentFile(path: string, folder: string): Promise<LoadedConfig> {
  const full = resolve(folder, path);
  const { value, placeOf, checked } = await read(full, folder);
  const rest = { path: full, folder: dirname(full) };
  if (!isAgent(value)) return { config: await checked(() => asConfig(value, placeOf)), ...rest, placeOf };
  const agent = await checked(() => asAgent(value, placeOf));
  const name = agent.name ?? basename(full).replace(/(?:\.config|\.agent)?\.[cm]?[jt]s$/u, "");
  const inAgent = ([, , ...key]: KeyPath): KeyPath => key;
  return {
    config: { agents: { [name]: agent }, agent: name },
    ...rest,
    placeOf: (key) => placeOf(inAgent(key)),
  };
}

/** Checks a config from a program. Relative paths start at the folder. */
export function inlineConfig(config: Config, folder: string): LoadedConfig {
  const placeOf = (): string => "the config";
  checkConfig(config, placeOf);
  return { config, path: "", folder, placeOf };
}

function asConfig(value: unknown, placeOf: PlaceOf): Config {
  checkConfig(value, placeOf);
  return value;
}

function asAgent(value: unknown, placeOf: PlaceOf): AgentConfig {
  checkAgent(value, [], placeOf);
  return value;
}

/** True for a path, as opposed to the name of an agent. */
export const isAgentFile = (agent: string): boolean => /[\\/]|\.[cm]?[jt]s$/u.test(agent);

/** In order of precedence. */
const fileNames = ["undangle.config.ts", "undangle.config.mts", "undangle.config.js", "undangle.config.mjs"];

function fileIn(folder: string): string | undefined {
  const [first, second] = fileNames.filter((name) => existsSync(resolve(folder, name)));
  if (first === undefined || second === undefined) return first === undefined ? undefined : resolve(folder, first);
  throw new UndangleError("config/load", { place: first, reason: `${second} is beside it. Keep one of them.` });
}

interface Read {
  readonly value: unknown;
  /** The place of the key, or of its nearest parent. */
  readonly placeOf: PlaceOf;
  /** Returns the result of a check. Exceptions of getters are reported with their line. */
  readonly checked: <T>(check: () => T) => Promise<T>;
}

async function read(path: string, folder: string): Promise<Read> {
  if (!existsSync(path)) throw new UndangleError("config/missing", { path });
  const shown = shownPath(path, folder);
  if (statSync(path).isDirectory()) {
    throw new UndangleError("config/load", { place: shown, reason: "It is a folder. Give the path of a file." });
  }
  const source = await readFile(path, "utf8").catch((error: unknown) => {
    const code = isRecord(error) && typeof error["code"] === "string" ? error["code"] : String(error);
    const reason = `It cannot be read (${code}). Change its permissions, or name another file.`;
    throw new UndangleError("config/load", { place: shown, reason }, error);
  });
  const placeOf: PlaceOf = (key) => {
    const found = findKey(source, key);
    return found === undefined ? shown : `${shown}:${found.line}:${found.column}`;
  };
  const show = (each: string): string => shownPath(each, folder);
  const module = await importModule(path, show);
  if (!("default" in module) || isNothing(module["default"], source))
    throw new UndangleError("config/no-export", { place: shown });
  if (isRecord(module["default"]) && typeof module["default"]["then"] === "function")
    throw new UndangleError("config/load", {
      place: placeOf([]),
      reason: "It exports a promise. Write: export default await …",
    });
  return {
    value: module["default"],
    placeOf,
    async checked(check) {
      try {
        return check();
      } catch (error) {
        throw error instanceof UndangleError ? error : await loadFault(error, path, show);
      }
    },
  };
}

/** True for a file without exports, which Node loads as CommonJS with an empty object. */
const isNothing = (value: unknown, source: string): boolean =>
  isRecord(value) && Object.keys(value).length === 0 && !/\bexports?\b/u.test(source);

/** A file name relative to the folder. */
function shownPath(path: string, folder: string): string {
  const short = relative(folder, path);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? path : short;
}

/** An agent file has keys that a config lacks, and none that only a config has. */
const isAgent = (value: unknown): value is AgentConfig =>
  isRecord(value) &&
  !["agents", "personas", "models", "agent", "store", "server"].some((key) => key in value) &&
  ["instructions", "model", "approvals", "middleware", "name", "limits", "onInput", "mode", "output"].some(
    (key) => key in value,
  );
