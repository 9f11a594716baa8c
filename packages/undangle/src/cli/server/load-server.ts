import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { ServerConfig } from "#config";
import type { Language } from "#core";
import type { Store } from "#store";

/** The parts of `@undangle/server` that the command line uses. */
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

/** The server package of the project, or the one beside this program; undefined if neither exists. */
export async function loadServer(folder: string): Promise<ServerPackage | undefined> {
  for (const from of [join(folder, "undangle.config.js"), import.meta.url]) {
    const path = resolved(from);
    if (path !== undefined) return (await import(pathToFileURL(path).href)) as ServerPackage; // the package checks its names
  }
  return undefined;
}

function resolved(from: string): string | undefined {
  try {
    return createRequire(from).resolve("@undangle/server");
  } catch {
    return undefined; // the next place is tried, or the caller reports it
  }
}

/**
 * Runs the same command line with a server from npm, and returns its exit code; undefined if npm cannot download it.
 * npm runs silently first, because its error for a missing package is a page long.
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
