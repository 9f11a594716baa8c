/** Whether one of the figures that the library has to reach was reached. Never a test: timings depend on the machine. */
export interface Verdict {
  /** What was measured, where there are several such things. */
  readonly subject?: string;
  readonly figure: string;
  readonly reached: boolean;
  readonly numbers: string;
}

/** One line for each verdict under the name of its subject, and the count at the end. */
export function verdictLines(verdicts: readonly Verdict[]): string {
  const lines: string[] = [];
  let subject: string | undefined;
  for (const verdict of verdicts) {
    if (verdict.subject !== undefined && verdict.subject !== subject) lines.push(verdict.subject);
    subject = verdict.subject;
    lines.push(`  ${verdict.reached ? "reached    " : "NOT REACHED"}  ${verdict.figure}: ${verdict.numbers}`);
  }
  const reached = verdicts.filter((verdict) => verdict.reached).length;
  return [...lines, `${reached} of ${verdicts.length} reached`].join("\n");
}
