import { isRecord } from "#core";

/**
 * What is known of a call that a client gave no result for. `unsent`: it never reached the server. `lost`: the connection broke in
 * the middle. `late`: the client waited long enough. `answered`: the server, or the client, says what was wrong with it.
 */
export type CallFate = "unsent" | "lost" | "late" | "answered";

/** Clients have no errors in common: those of the SDKs and of `fetch` are told by their codes and words. */
export function fateOf(error: unknown, isClosed: boolean): CallFate {
  const { code, message, status } = read(error);
  if (code === "NOT_CONNECTED" || /Not connected$|from a closed client$/u.test(message)) return "unsent";
  if (status === 404) return "unsent"; // the server knows the session no more
  if (message === "fetch failed") return unreached.has(String(read(causeOf(error)).code)) ? "unsent" : "lost";
  if (isClosed || code === "CONNECTION_CLOSED" || code === "SEND_FAILED") return "lost";
  if ((code === -32000 || code === undefined) && message.endsWith("Connection closed")) return "lost";
  if (code === "REQUEST_TIMEOUT" || (code === -32001 && /timed out|timeout exceeded/iu.test(message))) return "late";
  return "answered";
}

/** With these nothing was sent. */
const unreached: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined);

interface Read {
  readonly code: unknown;
  readonly message: string;
  /** Of the answer over HTTP, which has no place of its own in version 1 of the SDK. */
  readonly status: unknown;
}

function read(error: unknown): Read {
  const known = isRecord(error) ? error : {};
  const { code, status, statusCode } = known;
  const message = typeof known["message"] === "string" ? known["message"] : "";
  return {
    code,
    message,
    status: status ?? statusCode ?? (message.startsWith("Streamable HTTP error") ? code : undefined),
  };
}
