import { env } from "node:process";

import { isRecord } from "#core";

import type { PostgresPool } from "./postgres-pool.ts";

/** The name of a database in errors, and its secrets. */
export interface DatabaseName {
  /** `postgres://host:port/database`, without user and password. */
  readonly path: string;
  /** Excludes a password that is part of the name, such as `postgres`. */
  readonly secrets: readonly string[];
}

/** The name of the database of a pool, as far as the pool shows it. */
export function nameOf(pool: PostgresPool): DatabaseName {
  const options: Readonly<Record<string, unknown>> = isRecord(pool.options) ? pool.options : {};
  const url = urlOf(options["connectionString"]);
  const first = (...values: unknown[]): string | undefined =>
    values.map(text).find((value) => value !== undefined && value !== "");
  const host = first(options["host"], url?.searchParams.get("host"), url?.hostname, env["PGHOST"]) ?? "localhost";
  const port = first(options["port"], url?.port, env["PGPORT"]) ?? "5432";
  const database = first(options["database"], pathOf(url), env["PGDATABASE"]) ?? "";
  const path = `postgres://${host}:${port}/${database}`;
  const secrets = [options["password"], options["connectionString"], url?.password, decoded(url?.password)].map(text);
  return { path, secrets: secrets.filter((secret = "") => secret !== "" && !path.includes(secret)) as string[] }; // no undefined is left
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

const pathOf = (url: URL | undefined): string | undefined => decoded(url?.pathname.slice(1));

/** Undefined for an invalid URL, which is not shown. */
function urlOf(value: unknown): URL | undefined {
  return typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
}

function decoded(part: string | undefined): string | undefined {
  if (part === undefined) return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // an unescaped percent sign
  }
}
