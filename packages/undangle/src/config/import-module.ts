import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

import { isRecord } from "#core";

import { loadFault } from "./load-fault.ts";
import { unsettledFault } from "./unsettled-fault.ts";

/**
 * Imports a TypeScript or JavaScript file of the user. It may import `undangle` even if it is not installed beside it,
 * and may be in a CommonJS package. Errors name the line.
 */
export async function importModule(
  path: string,
  show: (path: string) => string,
): Promise<Readonly<Record<string, unknown>>> {
  const helping = help();
  let module: unknown;
  try {
    module = await orNever(import(pathToFileURL(path).href));
  } catch (error) {
    throw await loadFault(error, path, show);
  } finally {
    helping?.deregister();
  }
  if (module === never) throw unsettledFault(path, show);
  return isRecord(module) ? module : {};
}

const never = Symbol("never");

/** The time limit of an import, in milliseconds. The file may start a tool server that npm has to download. */
const patience = 60_000;

/** The module; `never` if nothing is left that could settle it, which would end the program silently. */
async function orNever(importing: Promise<unknown>): Promise<unknown> {
  const { promise: given, resolve } = Promise.withResolvers<typeof never>();
  const giveUp = (): void => resolve(never);
  const waiting = setTimeout(giveUp, patience).unref();
  process.once("beforeExit", giveUp);
  try {
    return await Promise.race([importing, given]);
  } finally {
    process.off("beforeExit", giveUp);
    clearTimeout(waiting);
  }
}

/**
 * Module hooks that resolve and load what a config needs. Older versions of Node lack them and report their own errors.
 */
function help(): nodeModule.ModuleHooks | undefined {
  if (typeof nodeModule.registerHooks !== "function") return undefined;
  return nodeModule.registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (!/^undangle(?:\/|$)/u.test(specifier) || !isNotFound(error)) throw error;
        return next(specifier, { ...context, parentURL: import.meta.url }); // a package may import itself by name
      }
    },
    load(url, context, next) {
      const format = context.format ?? "";
      if (!url.startsWith("file:") || !isCommon(format) || url.includes("/node_modules/")) return next(url, context);
      if (!hasModuleSyntax(readFileSync(fileURLToPath(url), "utf8"))) return next(url, context);
      return next(url, { ...context, format: /\.[cm]?ts$/u.test(url) ? "module-typescript" : "module" });
    },
  });
}

/**
 * `npm init` creates CommonJS packages, in which a file with imports could not be loaded. Without a type, Node warns.
 */
const isCommon = (format: string): boolean => format === "" || format.startsWith("commonjs");

const hasModuleSyntax = (text: string): boolean => /^[^\S\n]*(?:import\s*[\w{*"']|export\s*[\w{*])/mu.test(text);

const isNotFound = (error: unknown): boolean => isRecord(error) && error["code"] === "ERR_MODULE_NOT_FOUND";
