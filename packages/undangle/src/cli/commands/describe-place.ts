import type { Problem } from "#core";
import { formatPath, joinPaths, lineFinder } from "#report";
import type { Opened } from "../input/open-document.ts";
import type { Texts } from "../texts/texts.ts";

/** The place of a problem in the file: its line, and its path from the outermost value. */
export interface Placed {
  readonly line: number;
  readonly path: string;
}

/** Creates a function that finds a path of the checked value in its file. */
export function placeFinder(
  { decoded, root, path: outer, input }: Opened,
  documentLine: number | undefined,
): (path: string) => Placed {
  const lineOf = documentLine === undefined ? lineFinder(decoded.text, root) : () => documentLine;
  const prefix = formatPath(outer);
  return (inner) => {
    // Paths of a bare array start with `messages`, which the file does not contain.
    const written = Array.isArray(input) ? inner.replace(/^messages/u, "") : inner;
    return { path: joinPaths(prefix, inner), line: lineOf(joinPaths(prefix, written)) };
  };
}

/** Problems in file order. */
export function inReadingOrder(problems: readonly Problem[]): readonly Problem[] {
  const naturally = new Intl.Collator("en", { numeric: true }); // created lazily, because it is slow
  return problems.toSorted((one, other) => naturally.compare(one.path, other.path));
}

/** The message of a problem, with its confidence if it matters. */
export function describeProblem(problem: Problem, texts: Texts): string {
  const likely = problem.confidence === "likely" ? ` (${texts.likely})` : "";
  return texts.problem(problem) + likely + (problem.repairable ? "" : ` (${texts.unmendable})`);
}
