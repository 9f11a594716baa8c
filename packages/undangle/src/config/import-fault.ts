import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { positionAt } from "./find-key.ts";

/** An import that failed. */
export interface ImportFault {
  /** The specifier. */
  readonly letters: string;
  /** The importing file; undefined if Node does not report it. */
  readonly importer: string | undefined;
  readonly reason: (show: (path: string) => string) => string;
  /** The package to install. */
  readonly install?: string;
}

/** Parses Node's message about a failed import; undefined for any other error. */
export function importFault(message: string): ImportFault | undefined {
  for (const { pattern, read } of sayings) {
    const groups = pattern.exec(message)?.groups;
    if (groups !== undefined)
      return { importer: groups["importer"], ...read(groups["name"] ?? "", groups["owner"] ?? "") };
  }
  return undefined;
}

/** FILE:LINE:COLUMN of the import; FILE if it is unknown. */
export async function placeOfImport(
  { letters, importer }: ImportFault,
  path: string,
  show: (path: string) => string,
): Promise<string> {
  const file = importer === undefined ? path : importer.startsWith("file:") ? fileURLToPath(importer) : importer;
  const text = await readFile(file, "utf8").catch(() => ""); // only the file name is known then
  const escaped = letters.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`);
  const at = text.search(new RegExp(`["'][^"'\\n]*${escaped}[^"'\\n]*["']`, "u"));
  if (at === -1) return show(file);
  const { line, column } = positionAt(text, at);
  return `${show(file)}:${line}:${column}`;
}

interface Saying {
  readonly pattern: RegExp;
  readonly read: (name: string, owner: string) => Omit<ImportFault, "importer">;
}

const fileName = (place: string): string => place.split(/[\\/]/u).at(-1) ?? place;

const sayings: readonly Saying[] = [
  {
    pattern: /^Cannot find package '(?<name>.+?)'(?: imported from (?<importer>.+))?$/mu,
    read: (name) => ({ letters: name, reason: () => `the package ${name} cannot be found.`, install: name }),
  },
  {
    pattern: /^Cannot find module '(?<name>.+?)'(?: imported from (?<importer>.+))?$/mu,
    read: (name) => ({ letters: fileName(name), reason: (show) => `there is no file ${show(name)}` }),
  },
  {
    pattern:
      /^Package subpath '\.\/(?<name>[^'\n]+)' is not defined .{0,2000}?node_modules[\\/](?<owner>.+?)[\\/]package\.json(?: imported from (?<importer>.+))?$/mu,
    read: (name, owner) => ({
      letters: `${owner}/${name}`,
      reason: () => `the package ${owner} that is installed here has no ${owner}/${name}.`,
      install: `${owner}@latest`,
    }),
  },
  {
    pattern: /^Module "(?<name>.+?)" needs an import attribute/mu,
    read: (name) => ({ letters: fileName(name), reason: () => 'write: with { type: "json" } after the import' }),
  },
];
