import type { Problem } from "#core";
import type { Opened } from "../input/open-document.ts";
import { lineFinder } from "../json/find-line.ts";
import { formatPath, joinPaths } from "../json/json-path.ts";
import type { Texts } from "../texts/texts.ts";

/** Where a problem stands for somebody who has the file before him: its line, and its path from the outermost value. */
export interface Placed {
  readonly line: number;
  readonly path: string;
}

/** Makes a function that finds the place of a path of the judged value in its file. */
export function placeFinder(
  { decoded, root, path: outer, input }: Opened,
  documentLine: number | undefined,
): (path: string) => Placed {
  const lineOf = documentLine === undefined ? lineFinder(decoded.text, root) : () => documentLine;
  const prefix = formatPath(outer);
  return (inner) => {
    // A bare array is called `messages` in paths; in its file it has no name.
    const written = Array.isArray(input) ? inner.replace(/^messages/u, "") : inner;
    return { path: joinPaths(prefix, inner), line: lineOf(joinPaths(prefix, written)) };
  };
}

/** Problems in the order in which a person meets them in the file. */
export function inReadingOrder(problems: readonly Problem[]): readonly Problem[] {
  const naturally = new Intl.Collator("en", { numeric: true }); // made where it is needed: it takes its time
  return problems.toSorted((one, other) => naturally.compare(one.path, other.path));
}

/** The sentence of a problem, with what a person should know about it. */
export function describeProblem(problem: Problem, texts: Texts): string {
  const likely = problem.confidence === "likely" ? ` (${texts.likely})` : "";
  return texts.problem(problem) + likely + (problem.repairable ? "" : ` (${texts.unmendable})`);
}
