import { UndangleError } from "#core";
import type { ErrorData } from "#core";

import type { DatabaseName } from "./database-name.ts";
import { NoConnection } from "./postgres-pool.ts";

/**
 * The effect of an error on a statement. `unsent`: not sent. `lost`: sent, with an unknown outcome. `clash`: rolled
 * back because of a conflict; retry at once. `busy`: rolled back after a timeout. `refused`: not executed.
 */
export type Fate = "unsent" | "lost" | "clash" | "busy" | "refused";

export function fateOf(error: unknown): Fate {
  if (error instanceof NoConnection) return "unsent";
  if (error instanceof UndangleError) return "refused";
  const state = stateOf(error);
  if (state === undefined) return isOfThisProcess(error) ? "refused" : "lost";
  if (state.startsWith("08") || lostStates.has(state)) return "lost";
  if (state === "40001" || state === "40P01") return "clash"; // serialization_failure, deadlock_detected
  return busyStates.has(state) ? "busy" : "refused";
}

/** The error of a database without secrets. An UndangleError is unchanged. */
export function faultOf(name: DatabaseName, error: unknown): UndangleError {
  if (error instanceof UndangleError) return error;
  const reported = error instanceof NoConnection ? error.cause : error;
  const cause = hasSecret(name, reported) ? undefined : reported;
  const { path } = name;
  const state = stateOf(reported) ?? "";
  const reason = pathReasons[state];
  if (reason !== undefined) {
    return new UndangleError("store/path", { path, reason, canRetry: reason === "read-only" }, cause); // a new primary may appear
  }
  if (fullStates.has(state)) return new UndangleError("store/full", { path, canRetry: true }, cause);
  if (busyStates.has(state) || fateOf(reported) === "clash") {
    return new UndangleError("store/busy", { path, canRetry: true }, cause);
  }
  if (state === "XX001" || state === "XX002")
    return new UndangleError("store/corrupt", { path, canRetry: false }, cause);
  const message = withoutSecrets(name, messageOf(reported));
  if (message.includes("after calling end on the pool"))
    return new UndangleError("store/closed", { path, canRetry: false }, cause);
  if (message.startsWith("SASL")) {
    return new UndangleError("store/path", { path, reason: "no-login", canRetry: false }, cause); // there is no password
  }
  const known = sentences[state] ?? sentences[codeOf(reported)];
  const isLost = error instanceof NoConnection && state === "" ? mayPass(reported) : fateOf(reported) === "lost";
  const canRetry = isLost || mayPassStates.has(state);
  const ifLost = isLost ? `the connection was lost or could not be opened (${message})` : message;
  return new UndangleError("store/failed", { path, reason: known ?? ifLost, canRetry }, cause);
}

/** The error of a write with an unknown outcome: the connection was lost, and no other could be opened. */
export function unknownOutcome(name: DatabaseName, error: unknown): UndangleError {
  const reason = `the connection was lost before the response, so the change may or may not be saved (${faultOf(name, error).message})`;
  return new UndangleError("store/failed", { path: name.path, reason, canRetry: true }, faultOf(name, error).cause);
}

/** The SQLSTATE of a server error; undefined for any other error. */
export function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("severity" in error)) return undefined;
  return codeOf(error);
}

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");

/** Admin shutdown, crash shutdown, dropped database, idle timeouts, unknown completion. */
const lostStates: ReadonlySet<string> = new Set(["57P01", "57P02", "57P04", "57P05", "25P03", "40003"]);

/** Lock not available, query cancelled: timeouts of locks or statements. */
const busyStates: ReadonlySet<string> = new Set(["55P03", "57014"]);

/** Disk full. */
const fullStates: ReadonlySet<string> = new Set(["53100"]);

const mayPassStates: ReadonlySet<string> = new Set(["53000", "53200", "53300", "53400", "57P03", "58000", "58030"]);

const pathReasons: Readonly<Record<string, ErrorData["store/path"]["reason"]>> = {
  "3D000": "no-database",
  "3F000": "no-schema",
  "28000": "no-login",
  "28P01": "no-login",
  "42501": "no-rights",
  "25006": "read-only",
  "22P05": "not-utf8",
  "22021": "not-utf8",
};

const sentences: Readonly<Record<string, string>> = {
  "53300":
    "the server accepts no more connections (max_connections). Make the pool smaller, or use a connection pooler",
  "57P03": "the server is starting up, or shutting down",
  "54000": "an id, an owner, a key or a path is too long for a Postgres index, whose limit is about 2,700 bytes",
  ENOTFOUND: "the host name of the server is unknown",
  EAI_AGAIN: "the host name of the server cannot be resolved at the moment",
  ECONNREFUSED: "no server responds at that address",
};

/** Errors before anything is sent: a value that is too long, or an object that is not a pool. */
const isOfThisProcess = (error: unknown): boolean => error instanceof TypeError || error instanceof RangeError;

/** True for a temporary network error. */
const mayPass = (error: unknown): boolean =>
  codeOf(error).startsWith("E") || /timeout|terminated|not queryable/u.test(messageOf(error));

/** An error for several addresses has no message of its own. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === "" ? codeOf(error) : error.message;
}

const withoutSecrets = ({ secrets }: DatabaseName, text: string): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);

/** True if an error contains a secret. */
function hasSecret({ secrets }: DatabaseName, error: unknown): boolean {
  if (!(error instanceof Error)) return secrets.some((secret) => String(error).includes(secret));
  const shown = ["message", ...Object.keys(error)].map((key): unknown => Reflect.get(error, key));
  return shown.some((text) => typeof text === "string" && secrets.some((secret) => text.includes(secret)));
}
