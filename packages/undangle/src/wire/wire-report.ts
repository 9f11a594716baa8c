import type { Anomaly, Edit, Problem } from "#core";

/** What was wrong with a request or a response, and what was done about it. */
export interface WireRepair {
  readonly side: "request" | "response";
  /** Without its query, which may hold a key, and without user and password. */
  readonly url: string;
  readonly format: string;
  /** False: it was only told, or cannot be mended. */
  readonly isChanged: boolean;
  /** Of a request. */
  readonly edits?: readonly Edit[];
  readonly problems?: readonly Problem[];
  /** Of a response. */
  readonly anomalies?: readonly Anomaly[];
  /** Why a response ends in an error. */
  readonly error?: string;
}

/** Whoever takes a line of text. */
export interface WireLogger {
  warn(message: string): void;
}

export interface Reporter {
  readonly tell: (repair: WireRepair) => void;
  /** Something was passed on as it is, because it could not be looked at. */
  readonly fail: (side: WireRepair["side"], url: string, error: unknown) => void;
}

/** Tells what was done; whoever listens cannot disturb what is being done. */
export function createReporter({
  onRepair,
  logger,
}: {
  readonly onRepair: ((repair: WireRepair) => void) | undefined;
  readonly logger: WireLogger | false;
}): Reporter {
  const log = (message: string): void => {
    if (logger !== false) quietly(() => logger.warn(`undangle: ${message}`));
  };
  return {
    tell(repair) {
      const told = { ...repair, url: withoutSecrets(repair.url) };
      quietly(() => onRepair?.(told));
      log(lineOf(told));
    },
    fail(side, url, error) {
      const reason = error instanceof Error ? error.message : String(error);
      log(`the ${side} of ${withoutSecrets(url)} passed unchanged: ${reason}`);
    },
  };
}

/** Tells the first thing that it is given to tell: of an answer that was changed, more may be left out when it is over. */
export function tellingOnce({ tell, fail }: Reporter): Reporter {
  let isTold = false;
  return {
    tell(repair) {
      if (!isTold) tell(repair);
      isTold = true;
    },
    fail,
  };
}

/** What goes wrong with a listener is its own affair, also what goes wrong with it later. */
function quietly(tell: () => unknown): void {
  try {
    const told = tell();
    if (typeof told === "object" && told !== null) Promise.resolve(told).catch(() => undefined);
  } catch {
    return; // as above
  }
}

/** An address without what may be a key, however many slashes stand before it: URLs are read so. */
const withoutSecrets = (url: string): string =>
  url.replace(/[?#].*$/su, "").replace(/^(\s*(?:[a-z][a-z\d+.-]*:[/\\]*|[/\\]{2,}))[^/\\]*@/iu, "$1");

function lineOf({
  side,
  url,
  format,
  isChanged,
  edits = [],
  problems = [],
  anomalies = [],
  error,
}: WireRepair): string {
  const what = [
    counted(edits.map(({ rule }) => rule)),
    counted(problems.map(({ rule }) => rule)),
    counted(anomalies.map(({ kind }) => kind)),
    error ?? "",
  ].filter((text) => text !== "");
  if (what.length === 0) what.push("how it is written");
  const done = error !== undefined ? "ended with an error" : isChanged ? "repaired" : "found damage in";
  return error === undefined
    ? `${done} the ${side} of ${url} (${format}): ${what.join("; ")}`
    : `the ${side} of ${url} (${format}) ${done}: ${what.join("; ")}`;
}

/** Each name once, with how often it came. */
function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(", ");
}
