import { isRecord } from "#core";

/**
 * The outcome of a call without a result. `unsent`: it never reached the server. `lost`: the connection broke. `late`: it
 * timed out. `answered`: the server or the client returned an error.
 */
export type CallFailure = "unsent" | "lost" | "late" | "answered";

/**
 * Clients have no common error class. Errors of the SDKs and of `fetch` are identified by codes and texts. A tool may
 * fail with the same text after it ran, so only an error that cannot come from the tool means that a call was not sent.
 */
export function failureOf(error: unknown, isClosed: boolean): CallFailure {
  const { code, message, status } = read(error);
  const isPosting = posting.test(message);
  const isOfServer = typeof code === "number" && !isPosting; // every JSON-RPC error has a code
  if (code === "NOT_CONNECTED" || (!isOfServer && unconnected.has(message))) return "unsent";
  if (isPosting && status === 404) return "unsent"; // the server has dropped the session
  if (!isOfServer && message === "fetch failed") {
    return unreached.has(String(read(causeOf(error)).code)) ? "unsent" : "lost";
  }
  if (isClosed || code === "CONNECTION_CLOSED" || code === "SEND_FAILED") return "lost";
  if ((code === -32000 || code === undefined) && message.endsWith("Connection closed")) return "lost";
  if (code === "REQUEST_TIMEOUT" || (code === -32001 && /timed out|timeout exceeded/iu.test(message))) return "late";
  return "answered";
}

/** The error texts of clients without a connection. */
const unconnected: ReadonlySet<string> = new Set(["Not connected", "Attempted to send a request from a closed client"]);

/** The beginnings of client errors for a rejected POST request. */
const posting =
  /^(?:Streamable HTTP error: )?Error POSTing to endpoint\b|^MCP (?:HTTP|SSE) Transport Error: POSTing to endpoint\b/u;

/** Error codes that mean nothing was sent. */
const unreached: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined);

interface Read {
  readonly code: unknown;
  readonly message: string;
  /** The HTTP status, which has no field in version 1 of the SDK. */
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
