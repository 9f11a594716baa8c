import type { Edit } from "#core";
import { formatPath, joinPaths } from "#report";
import type { Document } from "../input/read-documents.ts";
import { printable } from "../terminal/printable.ts";
import type { Texts } from "../texts/texts.ts";
import { describeProblem, placeFinder } from "./describe-place.ts";
import type { Mended } from "./mend-document.ts";
import type { Session } from "./session.ts";

export interface Repaired {
  readonly file: string;
  readonly document: Document;
  readonly mended: Mended;
  readonly session: Session;
  /** True if the report contains the repaired value. */
  readonly withOutput: boolean;
}

/** The edits of a document and its remaining problems, as JSON or as text. */
export function repairReport(repaired: Repaired): string {
  return repaired.session.options.json === true ? asJson(repaired) : asLines(repaired);
}

function asJson({ file, document: { line }, mended, withOutput }: Repaired): string {
  const { format, changed, root, edits, problems } = mended;
  const report = {
    file,
    ...(line === undefined ? {} : { line }),
    format,
    changed,
    ...(withOutput ? { output: root } : {}),
    edits,
    problems,
  };
  return `${JSON.stringify(report)}\n`;
}

function asLines({ file, document, mended, session }: Repaired): string {
  const { texts, paintError } = session;
  const place = printable(document.line === undefined ? file : `${file}:${document.line}`);
  const outer = formatPath(mended.opened.path);
  const find = placeFinder(mended.opened, document.line);
  const edits = mended.edits.map(
    (edit) =>
      `${place}: ${printable(pathsOf(edit, outer))}: ${paintError("green", edit.rule)}: ${describeEdit(edit, texts)}\n`,
  );
  const problems = mended.problems.map((problem) => {
    const { line, path } = find(problem.path);
    const text = printable(describeProblem(problem, texts));
    return `${printable(file)}:${line}: ${printable(path) || "."}: ${paintError("yellow", problem.rule)}: ${text}\n`;
  });
  return [...edits, ...problems].join("");
}

/** The place of an edit, with an arrow for a move. */
function pathsOf({ from, to, type }: Edit, outer: string): string {
  const before = from === undefined ? undefined : joinPaths(outer, from);
  const after = to === undefined ? undefined : joinPaths(outer, to);
  if (before === undefined || after === undefined || type !== "move") return (after ?? before ?? outer) || ".";
  return before === after ? after : `${before} -> ${after}`;
}

/** The kind of an edit, and whether it lost or reconstructed something. */
function describeEdit({ type, lossless, reconstructed }: Edit, texts: Texts): string {
  const notes = [...(lossless ? [] : [texts.lossy]), ...(reconstructed ? [texts.reconstructed] : [])];
  return notes.length === 0 ? texts.edits[type] : `${texts.edits[type]} (${notes.join(", ")})`;
}
