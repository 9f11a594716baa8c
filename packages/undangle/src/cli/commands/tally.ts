import type { Edit, Problem } from "#core";
import type { Count } from "../texts/texts.ts";
import { printable } from "../terminal/printable.ts";

/** The highest exit code so far, and counts. */
export interface Tally {
  readonly exitCode: 0 | 1 | 2;
  readonly count: Count;
  /** Counts a document, its problems and its edits. */
  add(inLines: boolean, outcome: { readonly problems?: readonly Problem[]; readonly edits?: readonly Edit[] }): void;
  worsen(code: 1 | 2): void;
}

export function createTally(source: string): Tally {
  const file = printable(source);
  let exitCode: 0 | 1 | 2 = 0;
  let count: Count = { file, inLines: false, documents: 0, touched: 0, problems: 0, edits: 0, lossy: 0 };
  return {
    get exitCode() {
      return exitCode;
    },
    get count() {
      return count;
    },
    worsen(code) {
      if (code > exitCode) exitCode = code;
    },
    add(inLines, { problems = [], edits = [] }) {
      count = {
        file,
        inLines,
        documents: count.documents + 1,
        touched: count.touched + (problems.length + edits.length > 0 ? 1 : 0),
        problems: count.problems + problems.length,
        edits: count.edits + edits.length,
        lossy: count.lossy + edits.filter(({ lossless }) => !lossless).length,
      };
    },
  };
}
