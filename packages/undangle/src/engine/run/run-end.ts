import { UndangleError } from "#core";

import { spokenText } from "../ledger/entry.ts";
import { noUsage } from "../ledger/ledger.ts";
import { asError } from "./as-error.ts";
import type { Book } from "./book.ts";
import { pendingOf } from "./call-events.ts";
import type { Outcome } from "./drive.ts";
import type { RunEnd } from "./run.ts";

/** How a run ended, with what there is to say of the thread. */
export function endOf(book: Book, { status, error, output }: Outcome): RunEnd {
  const last = book.recorded().at(-1)?.entry;
  const awaiting = book.ledger().turn?.calls.filter(({ state }) => state === "awaiting") ?? [];
  return {
    status,
    text: last?.type === "answer" ? spokenText(last) : "",
    pending: awaiting.map(pendingOf),
    usage: book.ledger().usage,
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
  };
}

/** The end of a run that could not begin. */
export function neverBegun(reason: unknown, book: Book | undefined, isStopped: boolean): RunEnd {
  const usage = book?.ledger().usage ?? noUsage;
  if (isStopped) return { status: "stopped", text: "", pending: [], usage };
  return { status: "failed", text: "", pending: [], usage, error: asError(reason) };
}

export const codeOf = (error: Error): string => (error instanceof UndangleError ? error.code : "error");
