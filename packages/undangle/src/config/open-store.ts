import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { isRecord, UndangleError } from "#core";
import { loadHasTables, loadSqlite, memoryStore } from "#store";
import type { Store } from "#store";

import type { LoadedConfig } from "./load-config.ts";
import { openPostgres } from "./open-postgres.ts";

export interface StorePlace {
  /** The working directory. */
  readonly folder: string;
  readonly loaded?: LoadedConfig | undefined;
  /** False throws `store/missing` for a missing database and creates nothing. */
  readonly create?: boolean | undefined;
}

/** The default path of the store. */
export const defaultStorePath = (folder: string): string => join(folder, ".undangle", "threads.db");

/**
 * Opens `"memory"`, a path, `"sqlite:PATH"` or `"postgres://…"`; else the store of the config, else
 * `./.undangle/threads.db`. The caller closes it.
 */
export async function openStore(choice: string | undefined, place: StorePlace): Promise<Store> {
  const { folder, loaded, create = true } = place;
  if (choice !== undefined) return openNamed(choice, { folder, create, refuse: refuseOption });
  const given = loaded?.config.store;
  if (loaded === undefined || given === undefined) return openDefault(folder, create);
  if (typeof given === "string") return openNamed(given, { folder: loaded.folder, create, refuse: refuseKey(loaded) });
  return typeof given === "function" ? openBy(given, loaded) : given;
}

interface Naming {
  /** The base of relative paths and of driver resolution. */
  readonly folder: string;
  readonly create: boolean;
  readonly refuse: (value: unknown) => UndangleError;
}

async function openNamed(name: string, { folder, create, refuse }: Naming): Promise<Store> {
  if (name === "memory" || name === ":memory:") return memoryStore();
  if (/^postgres(?:ql)?:/u.test(name)) return openPostgres(name, { folder, create });
  const scheme = /^([a-z][a-z\d+.-]+):/u.exec(name)?.[1];
  if (scheme !== undefined && scheme !== "sqlite") throw refuse(`${scheme}:…`); // the rest may contain a password
  return openFile(resolve(folder, name.replace(/^sqlite:(?:\/\/(?=\/))?/u, "")), create);
}

const allowed = ["memory", "a path", "sqlite:PATH", "postgres://…"];

const refuseOption = (value: unknown): UndangleError =>
  new UndangleError("options/value", { option: "store", value, allowed });

const refuseKey =
  (loaded: LoadedConfig) =>
  (value: unknown): UndangleError =>
    new UndangleError("config/value", { place: loaded.placeOf(["store"]), key: "store", value, allowed });

/** Calls the function of the config, and reports its errors. */
async function openBy(open: () => Store | Promise<Store>, loaded: LoadedConfig): Promise<Store> {
  let store: unknown;
  try {
    store = await open();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UndangleError("config/refused", { place: loaded.placeOf(["store"]), key: "store", reason }, error);
  }
  if (isRecord(store) && typeof store["commit"] === "function" && typeof store["load"] === "function")
    return store as unknown as Store; // it has the methods of a store
  throw refuseKey(loaded)(store);
}

async function openFile(path: string, create: boolean): Promise<Store> {
  if (!create && !existsSync(path)) throw new UndangleError("store/missing", { path, canRetry: false });
  if (!create && !(await loadHasTables())(path)) throw new UndangleError("store/foreign", { path, canRetry: false });
  const { sqliteStore } = await loadSqlite();
  return sqliteStore(path);
}

async function openDefault(folder: string, create: boolean): Promise<Store> {
  const path = defaultStorePath(folder);
  if (existsSync(dirname(path))) restrictFolder(dirname(path));
  else if (create) makeFolderOf(path);
  return openFile(path, create);
}

/**
 * The folder is private to its owner, because it contains conversations and hashes of keys. A file tells Git to ignore
 * it.
 */
function makeFolderOf(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(join(dirname(path), ".gitignore"), "*\n", { mode: 0o600 });
  } catch (error) {
    const code = isRecord(error) ? error["code"] : undefined;
    if (code === "ENOSPC" || code === "EDQUOT") throw new UndangleError("store/full", { path, canRetry: true }, error);
    const reason = code === "ENOTDIR" || code === "ENOENT" ? "no-folder" : "not-allowed";
    throw new UndangleError("store/path", { path, reason, canRetry: false }, error);
  }
}

/** The same for an existing folder, which an earlier version or a server log created. */
function restrictFolder(path: string): void {
  const note = join(path, ".gitignore");
  try {
    const found = statSync(path);
    if (!found.isDirectory()) return;
    if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700);
    if (!existsSync(note)) writeFileSync(note, "*\n", { mode: 0o600 });
  } catch (error) {
    if (!isRecord(error) || typeof error["code"] !== "string") throw error;
    // The folder belongs to another user, or is read-only. Opening the database reports the consequences.
  }
}
