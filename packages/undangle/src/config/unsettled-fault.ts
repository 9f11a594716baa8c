import { readFileSync } from "node:fs";

import { UndangleError } from "#core";

import { positionAt } from "./find-key.ts";

/** The error of a file that never settles, with the line if it has only one await. */
export function unsettledFault(path: string, show: (path: string) => string): UndangleError {
  const source = readFileSync(path, "utf8");
  const [first, second] = [...source.matchAll(/\bawait\b/gu)];
  const at = first === undefined || second !== undefined ? undefined : positionAt(source, first.index);
  return new UndangleError("config/load", {
    place: at === undefined ? show(path) : `${show(path)}:${at.line}:${at.column}`,
    reason: "An await in it, or in a file that it imports, never settles.",
  });
}
