import { execFile } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";

import { UndangleError } from "#core";

import { importFault, placeOfImport } from "./import-fault.ts";

/** Returns a readable file name. */
type Show = (path: string) => string;

/** The error of a failed import, with the line if it is known. */
export async function loadFault(error: unknown, path: string, show: Show): Promise<UndangleError> {
  const { message, stack, code } = describe(error);
  const fault = (place: string, reason: string, install?: string): UndangleError =>
    new UndangleError(
      "config/load",
      { place, reason: sentence(reason), ...(install !== undefined && { install }) },
      error,
    );
  const missing = importFault(error instanceof Error ? error.message : "");
  if (missing !== undefined)
    return fault(await placeOfImport(missing, path, show), missing.reason(show), missing.install);
  if (code === "ERR_UNKNOWN_FILE_EXTENSION")
    return fault(
      show(path),
      `Node ${process.versions.node} cannot read TypeScript. Use Node 22.18 or later, or write it as .mjs`,
    );
  const place = placeIn(stack) ?? (error instanceof SyntaxError ? await checkedPlace(path) : undefined);
  if (place === undefined) return fault(show(path), message);
  return fault(`${show(place.path)}:${place.line}${place.column === undefined ? "" : `:${place.column}`}`, message);
}

function describe(error: unknown): { readonly message: string; readonly stack: string; readonly code: unknown } {
  if (!(error instanceof Error)) return { message: `it threw ${String(error)}`, stack: "", code: undefined };
  const { message, stack = "" } = error;
  const isPlain = error instanceof SyntaxError || ["Error", "UndangleError"].includes(error.name);
  return {
    message: message === "" ? error.name : isPlain ? message : `${error.name}: ${message}`,
    stack,
    code: "code" in error ? error.code : undefined,
  };
}

/** One line that ends with a full stop. */
function sentence(text: string): string {
  const line = text.trim().replaceAll(/\s*\n\s*/gu, " ");
  return /[.!?…:]$/u.test(line) ? line : `${line}.`;
}

interface SourcePlace {
  readonly path: string;
  readonly line: number;
  readonly column: number | undefined;
}

/**
 * The place in a stack: for a syntax error above its first line, with a mark under the code; otherwise the first call
 * in a file of the user.
 */
function placeIn(stack: string): SourcePlace | undefined {
  const marked = /^(file:\/\/\S+|\/.+|[A-Za-z]:\\.+):(\d+)\n/u.exec(stack);
  if (marked?.[1] !== undefined) {
    const mark = /^([^\S\n]*)\^+[^\S\n]*$/mu.exec(stack);
    return {
      path: asPath(marked[1]),
      line: Number(marked[2]),
      column: mark === null ? undefined : (mark[1]?.length ?? 0) + 1,
    };
  }
  const calls = [...stack.matchAll(/^[^\S\n]+at (?:async )?(?:[^(\n]*\()?(file:\/\/.+):(\d+):(\d+)\)?$/gmu)];
  const own = calls.find(([, url = ""]) => !url.includes("/node_modules/") && !isOurs(url));
  if (own?.[1] === undefined) return undefined;
  return { path: asPath(own[1]), line: Number(own[2]), column: Number(own[3]) };
}

/** True for files of this package. The caller is responsible for an error thrown here. */
const isOurs = (url: string): boolean => url.startsWith(new URL("../", import.meta.url).href);

const asPath = (place: string): string => (place.startsWith("file:") ? fileURLToPath(place) : place);

/** Only Node's own check reports the line of a syntax error in plain JavaScript. */
async function checkedPlace(path: string): Promise<SourcePlace | undefined> {
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, ["--check", path], { timeout: 10_000 }, (_error, _stdout, stderr) => resolve(stderr));
  });
  return placeIn(said);
}
