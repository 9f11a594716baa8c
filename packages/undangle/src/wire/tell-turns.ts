import type { AssembledTurn } from "#core";

import type { Endpoint } from "./endpoint.ts";
import type { Exchange } from "./mend-response.ts";
import type { Reporter } from "./wire-report.ts";

/** Who is told of an answer, and as what. */
export interface Telling {
  readonly url: string;
  readonly format: Endpoint["format"];
  readonly isChanged: boolean;
  readonly reporter: Reporter;
}

export const tellingOf = ({ endpoint, request, mode, reporter }: Exchange): Telling => ({
  url: request.url,
  format: endpoint.format,
  isChanged: mode === "repair",
  reporter,
});

/** Tells what was wrong with an answer that was not read to its end: that it has none is no fault. */
export function tellLeft(
  turns: readonly AssembledTurn[],
  telling: Telling,
  { isChanged }: { readonly isChanged: boolean },
): void {
  tellTurns(withoutLeaving(turns), { ...telling, isChanged: telling.isChanged && isChanged });
}

/** Turns without what is only odd because nobody has read on. */
export const withoutLeaving = (turns: readonly AssembledTurn[]): readonly AssembledTurn[] =>
  turns.map((turn) => ({ ...turn, anomalies: turn.anomalies.filter(({ kind }) => !isOfLeaving.has(kind)) }));

const isOfLeaving: ReadonlySet<string> = new Set(["stream-cut", "arguments-truncated"]);

/** Tells what was wrong with an answer, and the error in which it ends. */
export function tellTurns(turns: readonly AssembledTurn[], telling: Telling, error?: string): void {
  const { reporter, isChanged, ...of } = telling;
  const anomalies = turns.flatMap((turn) => turn.anomalies);
  const told = { side: "response", ...of, isChanged, anomalies } as const;
  reporter.tell(error === undefined || !isChanged ? told : { ...told, error });
}
