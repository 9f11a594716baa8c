import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { ServerConfig } from "#config";
import type { Language } from "#core";
import type { Store } from "#store";

/** What the command line uses of `@undangle/server`. */
export interface ServerPackage {
  serve(
    options: ServerConfig & {
      readonly port: number;
      readonly host: string;
      readonly sharePort?: boolean | undefined;
      readonly config?: string | undefined;
      readonly store?: string | undefined;
      readonly model?: string | undefined;
      readonly language?: Language | undefined;
      readonly log?: string | undefined;
      readonly folder: string;
      readonly env: Readonly<Record<string, string | undefined>>;
    },
  ): Promise<{ readonly url: string; readonly message: string; close(): Promise<void> }>;
  createKeyRing(store: Store): KeyRing;
  readonly scopes: readonly string[];
}

/** The keys of a server. */
export interface KeyRing {
  create(wanted: {
    readonly name: string;
    readonly scopes: readonly string[];
    readonly project: string;
    readonly expiresAt?: number | undefined;
  }): Promise<{ readonly key: StoredKey; readonly text: string }>;
  list(): Promise<readonly StoredKey[]>;
  revoke(id: string): Promise<boolean>;
}

export interface StoredKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly project: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
}

/** The server, which is a package of its own: that of the project, or the one beside this program; undefined where there is none. */
export async function loadServer(folder: string): Promise<ServerPackage | undefined> {
  for (const from of [join(folder, "undangle.config.js"), import.meta.url]) {
    const path = resolved(from);
    if (path !== undefined) return (await import(pathToFileURL(path).href)) as ServerPackage; // its names are checked there
  }
  return undefined;
}

function resolved(from: string): string | undefined {
  try {
    return createRequire(from).resolve("@undangle/server");
  } catch {
    return undefined; // the next place, or the caller says so
  }
}

/**
 * Runs the same command line with a server that npm fetches for it, and gives its exit code; undefined where npm cannot fetch
 * it. npm is tried without its own words first: a package that it does not find is a page of them.
 */
export async function runWithServer(argv: readonly string[], version: string): Promise<number | undefined> {
  const packages = [`undangle@${version}`, `@undangle/server@${version}`];
  const exec = ["exec", "--yes", ...packages.map((name) => `--package=${name}`)];
  const fetched = await npm([...exec, "--loglevel=silent", "--", "node", "--version"], "ignore");
  return fetched === 0 ? npm([...exec, "--", "undangle", ...argv], "inherit") : undefined;
}

function npm(argv: readonly string[], stdio: "ignore" | "inherit"): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn("npm", argv, { stdio, shell: process.platform === "win32" });
    child.once("error", () => resolve(2));
    child.once("exit", (code) => resolve(code ?? 2));
  });
}
