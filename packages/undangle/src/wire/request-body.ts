import type { StreamFormat } from "#codecs";
import { isRecord } from "#core";

/** The body of a request as it was read, and the way to put another one in its place. */
export interface ReadRequest {
  readonly url: string;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The arguments of `fetch` with another body. */
  readonly withBody: (text: string) => readonly [input: string | URL | Request, init: RequestInit | undefined];
}

/** Reads a request that has a JSON object in it and may be changed; undefined for all others. */
export async function readRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
  maxBytes: number,
): Promise<ReadRequest | undefined> {
  const request = isRequest(input) ? input : undefined;
  const method = init?.method ?? request?.method ?? "GET";
  if (method.toUpperCase() !== "POST") return undefined;
  const headers = new Headers(init?.headers ?? request?.headers);
  if (isSealed(headers, addressOf(input))) return undefined;
  const given = init?.body;
  const text = given === undefined || given === null ? await textIn(request, maxBytes) : textOf(given, maxBytes);
  const body = text === undefined ? undefined : parse(text);
  if (text === undefined || body === undefined) return undefined;
  return {
    url: addressOf(input),
    text,
    body,
    withBody(changed) {
      headers.delete("content-length"); // it is another one now, and whoever sends it knows
      const changes = headers.has("content-type") ? { headers, body: changed } : { body: changed };
      if (request === undefined || (given !== undefined && given !== null)) return [input, { ...init, ...changes }];
      return [new Request(request, { ...init, ...changes }), undefined];
    },
  };
}

/** The tools that a request offers. */
export const toolsIn = ({ tools }: ReadRequest["body"]): readonly unknown[] | undefined =>
  Array.isArray(tools) ? (tools as readonly unknown[]) : undefined;

/** True when a request asks for a stream: Gemini's says so in its address, and Ollama's has to say that it does not. */
export function isStreamAsked({ url, body }: Pick<ReadRequest, "url" | "body">, format: StreamFormat): boolean {
  if (format === "gemini") return /:streamGenerateContent\?(?:.*&)?alt=sse(?:&|$)/u.test(url);
  if (format === "ollama") return body["stream"] !== false;
  return body["stream"] === true || /:streamRawPredict(?:\?|$)/u.test(url);
}

export const addressOf = (input: string | URL | Request): string =>
  typeof input === "string" ? input : isRequest(input) ? input.url : input.href;

/** Also one of another implementation, such as undici's own. */
const isRequest = (input: unknown): input is Request =>
  typeof input === "object" && input !== null && "url" in input && "clone" in input;

/** A body that somebody has signed, packed or hashed does not stand a change. */
function isSealed(headers: Headers, address: string): boolean {
  const signature = headers.get("authorization") ?? "";
  return (
    signature.startsWith("AWS4-") ||
    address.includes("X-Amz-Signature=") ||
    (headers.get("content-encoding") ?? "identity") !== "identity" ||
    headers.has("content-md5") ||
    headers.has("digest") ||
    headers.has("content-digest")
  );
}

/** The body of a `Request`, of which only a copy is read. */
async function textIn(request: Request | undefined, maxBytes: number): Promise<string | undefined> {
  if (request?.body === undefined || request.body === null || request.bodyUsed) return undefined;
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) return undefined;
  const text = await request.clone().text();
  return text.length > maxBytes ? undefined : text;
}

/** Text or bytes; a stream can be read once, and what is no JSON is nobody's business here. */
function textOf(body: unknown, maxBytes: number): string | undefined {
  if (typeof body === "string") return body.length > maxBytes ? undefined : body;
  if (!ArrayBuffer.isView(body) && !(body instanceof ArrayBuffer)) return undefined;
  if (body.byteLength > maxBytes) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body as Uint8Array); // a view of any kind
  } catch {
    return undefined; // no text
  }
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // the server will say so
  }
}

/** True for a request that asks for one answer, as nearly all do. */
export const isSingle = ({ body }: Pick<ReadRequest, "body">): boolean => (body["n"] ?? 1) === 1;
