import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { isRecord, UndangleError } from "#core";
import { loadHasTables, loadSqlite, memoryStore } from "#store";
import type { Store } from "#store";

import type { LoadedConfig } from "./load-config.ts";
import { openPostgres } from "./open-postgres.ts";

/** Where a store is looked for. */
export interface StorePlace {
  /** Where the program was started. */
  readonly folder: string;
  readonly loaded?: LoadedConfig | undefined;
  /** False: a database that is not there yet is an error, `store/missing`, and nothing is made. */
  readonly create?: boolean | undefined;
}

/** Where threads are kept when nobody says where. */
export const defaultStorePath = (folder: string): string => join(folder, ".undangle", "threads.db");

/**
 * Opens the store that is named: `"memory"`, a path, `"sqlite:PATH"` or `"postgres://…"`; else that of the config, else
 * `./.undangle/threads.db`. Whoever opens it closes it.
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
  /** Where relative paths begin, and drivers are looked for. */
  readonly folder: string;
  readonly create: boolean;
  readonly refuse: (value: unknown) => UndangleError;
}

async function openNamed(name: string, { folder, create, refuse }: Naming): Promise<Store> {
  if (name === "memory" || name === ":memory:") return memoryStore();
  if (/^postgres(?:ql)?:/u.test(name)) return openPostgres(name, { folder, create });
  const scheme = /^([a-z][a-z\d+.-]+):/u.exec(name)?.[1];
  if (scheme !== undefined && scheme !== "sqlite") throw refuse(`${scheme}:…`); // what follows may have a password in it
  return openFile(resolve(folder, name.replace(/^sqlite:(?:\/\/(?=\/))?/u, "")), create);
}

const allowed = ["memory", "a path", "sqlite:PATH", "postgres://…"];

const refuseOption = (value: unknown): UndangleError =>
  new UndangleError("options/value", { option: "store", value, allowed });

const refuseKey =
  (loaded: LoadedConfig) =>
  (value: unknown): UndangleError =>
    new UndangleError("config/value", { place: loaded.placeOf(["store"]), key: "store", value, allowed });

/** What the config opens itself is its own affair; where that fails, the error says so. */
async function openBy(open: () => Store | Promise<Store>, loaded: LoadedConfig): Promise<Store> {
  let store: unknown;
  try {
    store = await open();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UndangleError("config/refused", { place: loaded.placeOf(["store"]), key: "store", reason }, error);
  }
  if (isRecord(store) && typeof store["commit"] === "function" && typeof store["load"] === "function")
    return store as unknown as Store; // it has what one has
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
 * The folder is for its owner only: it holds conversations and the hashes of keys. A note for Git says that nothing in it is to
 * be committed.
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

/** The same for a folder that is there: an earlier version has made it, or the log of a server. */
function restrictFolder(path: string): void {
  const note = join(path, ".gitignore");
  try {
    const found = statSync(path);
    if (!found.isDirectory()) return;
    if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700);
    if (!existsSync(note)) writeFileSync(note, "*\n", { mode: 0o600 });
  } catch (error) {
    if (!isRecord(error) || typeof error["code"] !== "string") throw error;
    // The folder is another user's, or nothing can be written to it: opening the database reports what that prevents.
  }
}
