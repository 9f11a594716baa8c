import type { AssembledTurn } from "#core";

import type { Exchange } from "./mend-response.ts";

/** Tells what was wrong with an answer, and the error in which it ends. */
export function tellTurns(turns: readonly AssembledTurn[], exchange: Exchange, error?: string): void {
  const { endpoint, request, mode, reporter } = exchange;
  const anomalies = turns.flatMap((turn) => turn.anomalies);
  const isChanged = mode === "repair";
  const told = { side: "response", url: request.url, format: endpoint.format, isChanged, anomalies } as const;
  reporter.tell(error === undefined || !isChanged ? told : { ...told, error });
}
