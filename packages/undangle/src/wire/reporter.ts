import { dialects } from "#codecs";
import type { RequestedResponse, RequestFacts } from "#codecs";
import type { Anomaly, AssembledTurn, Edit, Problem } from "#core";

import type { Endpoint } from "./request/endpoints.ts";
import type { SentRequest } from "./request/read-request.ts";

/** A request that was sent, and how its response is to be handled. */
export interface Exchange {
  readonly endpoint: Endpoint;
  readonly request: SentRequest;
  readonly mode: "repair" | "warn" | "off";
  readonly toolCalls: "hold" | "stream";
  readonly maxBytes: number;
  readonly reporter: Reporter;
  /** Milliseconds from an arbitrary start. */
  readonly now: () => number;
  /** Resolves after a number of milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** The facts about a request on which the shape of its response depends. */
export const requestFacts = ({ request, endpoint }: Exchange): RequestFacts => ({
  request: request.body,
  provider: endpoint.provider,
  agent: request.agent,
  helper: request.helper,
});

export const requestedResponse = ({ request, endpoint }: Exchange): RequestedResponse =>
  dialects[endpoint.format].requested(request.url, request.body ?? {});

/** What was wrong with a request or a response, and what was done about it. */
export interface WireRepair {
  readonly side: "request" | "response";
  /** Without credentials and query, which may hold a key. */
  readonly url: string;
  readonly format: string;
  /** False where the damage was only reported, or cannot be repaired. */
  readonly isChanged: boolean;
  /** Of a request. */
  readonly edits?: readonly Edit[];
  readonly problems?: readonly Problem[];
  /** Of a response. */
  readonly anomalies?: readonly Anomaly[];
  /** Why a response ends in an error. */
  readonly error?: string;
}

/** Accepts one line of text per repair. */
export interface WireLogger {
  warn(message: string): void;
}

export interface Reporter {
  readonly report: (repair: WireRepair) => void;
  /** Reports that a request or response passed unchanged because it could not be processed. */
  readonly fail: (side: WireRepair["side"], url: string, error: unknown) => void;
}

/** Reports repairs to the callback and the logger of the program. Errors thrown by those do not disturb the exchange. */
export function createReporter({
  onRepair,
  logger,
}: {
  readonly onRepair: ((repair: WireRepair) => void) | undefined;
  readonly logger: WireLogger | false;
}): Reporter {
  const log = (message: string): void => {
    if (logger !== false) ignoreErrors(() => logger.warn(`undangle: ${message}`));
  };
  return {
    report(repair) {
      const reported = { ...repair, url: withoutSecrets(repair.url) };
      ignoreErrors(() => onRepair?.(reported));
      log(logLine(reported));
    },
    fail(side, url, error) {
      const reason = error instanceof Error ? error.message : String(error);
      log(`the ${side} of ${withoutSecrets(url)} passed unchanged: ${reason}`);
    },
  };
}

/** Reports only the first repair: an event that is removed after a repaired response is not a second repair. */
export function reportingOnce({ report, fail }: Reporter): Reporter {
  let hasReported = false;
  return {
    report(repair) {
      if (!hasReported) report(repair);
      hasReported = true;
    },
    fail,
  };
}

/** Reports what was wrong with a response, and the error in which it ends. */
export function reportTurns(
  turns: readonly AssembledTurn[],
  { endpoint: { format }, request: { url }, mode, reporter }: Exchange,
  { error, isChanged = mode === "repair" }: { readonly error?: string | undefined; readonly isChanged?: boolean } = {},
): void {
  const anomalies = turns.flatMap((turn) => turn.anomalies);
  const repair = { side: "response", url, format, isChanged, anomalies } as const;
  reporter.report(error === undefined || mode !== "repair" ? repair : { ...repair, error });
}

/** Turns without the anomalies that only mean that the client stopped reading. */
export const withoutCancellation = (turns: readonly AssembledTurn[]): readonly AssembledTurn[] =>
  turns.map((turn) => ({ ...turn, anomalies: turn.anomalies.filter(({ kind }) => !ofCancellation.has(kind)) }));

const ofCancellation: ReadonlySet<string> = new Set(["stream-cut", "arguments-truncated"]);

function ignoreErrors(call: () => unknown): void {
  try {
    const result = call();
    if (typeof result === "object" && result !== null) Promise.resolve(result).catch(() => undefined);
  } catch {
    return; // a listener's error is not an error of the exchange
  }
}

/** A URL without its query, fragment, user and password. `URL` accepts any number of slashes, so this does too. */
const withoutSecrets = (url: string): string =>
  url.replace(/[?#].*$/su, "").replace(/^(\s*(?:[a-z][a-z\d+.-]*:[/\\]*|[/\\]{2,}))[^/\\]*@/iu, "$1");

function logLine({
  side,
  url,
  format,
  isChanged,
  edits = [],
  problems = [],
  anomalies = [],
  error,
}: WireRepair): string {
  const causes = [
    counted(edits.map(({ rule }) => rule)),
    counted(problems.map(({ rule }) => rule)),
    counted(anomalies.map(({ kind }) => kind)),
    error ?? "",
  ].filter((text) => text !== "");
  if (causes.length === 0) causes.push("how it is written");
  const verb = error !== undefined ? "ended with an error" : isChanged ? "repaired" : "found damage in";
  return error === undefined
    ? `${verb} the ${side} of ${url} (${format}): ${causes.join("; ")}`
    : `the ${side} of ${url} (${format}) ${verb}: ${causes.join("; ")}`;
}

/** Each name once, with its count. */
function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(", ");
}
