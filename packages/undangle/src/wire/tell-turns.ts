import type { AssembledTurn } from "#core";

import type { Exchange } from "./mend-response.ts";

/** Tells what was wrong with an answer that was not read to its end: that it has none is no fault. */
export function tellLeft(
  turns: readonly AssembledTurn[],
  exchange: Exchange,
  { isChanged }: { readonly isChanged: boolean },
): void {
  const left = turns.map((turn) => ({
    ...turn,
    anomalies: turn.anomalies.filter(({ kind }) => !isOfLeaving.has(kind)),
  }));
  tellTurns(left, isChanged ? exchange : { ...exchange, mode: "warn" });
}

const isOfLeaving: ReadonlySet<string> = new Set(["stream-cut", "arguments-truncated"]);

/** Tells what was wrong with an answer, and the error in which it ends. */
export function tellTurns(turns: readonly AssembledTurn[], exchange: Exchange, error?: string): void {
  const { endpoint, request, mode, reporter } = exchange;
  const anomalies = turns.flatMap((turn) => turn.anomalies);
  const isChanged = mode === "repair";
  const told = { side: "response", url: request.url, format: endpoint.format, isChanged, anomalies } as const;
  reporter.tell(error === undefined || !isChanged ? told : { ...told, error });
}
