import type { Helper } from "#codecs";
import { isRecord, parseJson, wordOf } from "#core";
import type { JsonObject } from "#core";

import { isBlank, opensObject, peek, peekable } from "../response/peekable-body.ts";

/** What the address and the headers of a request contain. */
interface Sender {
  readonly url: string;
  /** The client, also if the program set another user agent. */
  readonly agent: string;
  /** The helper method of the SDK that sends the request. */
  readonly helper?: Helper | undefined;
  /** The version of Anthropic's protocol, which only its clients send. */
  readonly version: string | undefined;
}

/** A request whose body was read and can be replaced. */
export interface ReadRequest extends Sender {
  readonly text: string;
  readonly body: JsonObject;
  /** The arguments of `fetch` with another body. */
  readonly withBody: (text: string) => readonly [input: string | URL | Request, init: RequestInit | undefined];
}

/** A request whose body cannot be read or must not be changed. Its response can still be repaired. */
export interface UnreadRequest extends Sender {
  readonly text: undefined;
  readonly body: undefined;
}

export type SentRequest = ReadRequest | UnreadRequest;

/** Reads a request that may contain a JSON object. Undefined for all others. */
export async function readRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
  maxBytes: number,
): Promise<SentRequest | undefined> {
  const request = isRequest(input) ? input : undefined;
  const method = init?.method ?? request?.method ?? "GET";
  if (method.toUpperCase() !== "POST") return undefined;
  const headers = new Headers(init?.headers ?? request?.headers);
  const given = init?.body ?? undefined;
  const signal = (init?.signal === undefined ? request?.signal : init.signal) ?? undefined;
  if (signal?.aborted === true) return undefined; // it will not be sent
  const sender = senderOf(addressOf(input), headers);
  const text = isSigned(headers, sender.url) ? unread : await textGiven(given, request, { maxBytes, signal });
  if (text === unread) return { ...sender, text: undefined, body: undefined };
  const body = text === undefined ? undefined : parse(text);
  if (text === undefined || body === undefined) return undefined;
  return {
    ...sender,
    text,
    body,
    withBody(changed) {
      const rest = init?.headers === undefined ? init : { ...membersOf(init), headers: withoutLength(init.headers) };
      if (given === undefined && request !== undefined) return [requestWith(request, changed), rest];
      return [input, { ...(rest && membersOf(rest)), body: inShapeOf(given, changed) }];
    },
  };
}

const senderOf = (url: string, headers: Headers): Sender => ({
  url,
  agent: agentIn(headers),
  helper: helperIn(headers),
  version: headers.get("anthropic-version") ?? undefined,
});

/** A copy with everything that `fetch` reads from an `init`, including inherited members and getters. */
function membersOf(init: RequestInit): RequestInit {
  const inherited = memberNames.filter((name) => !Object.hasOwn(init, name) && Reflect.get(init, name) !== undefined);
  return { ...Object.fromEntries(inherited.map((name) => [name, Reflect.get(init, name) as unknown])), ...init };
}

/** The members of an `init` except its body. */
const memberNames = [
  "method",
  "headers",
  "mode",
  "credentials",
  "cache",
  "redirect",
  "referrer",
  "referrerPolicy",
  "integrity",
  "keepalive",
  "signal",
  "duplex",
  "priority",
  "window",
  "dispatcher",
];

function textGiven(given: unknown, request: Request | undefined, limits: ReadLimits): Promise<TextRead> | TextRead {
  if (given === undefined) return request && textIn(request, limits);
  return given instanceof Blob ? textInBlob(given, limits) : textOf(given, limits);
}

/** A text as a body of the given kind. A `Blob` keeps its type. */
function inShapeOf(given: unknown, text: string): string | Blob | Uint8Array<ArrayBuffer> {
  if (typeof given === "string") return text;
  return given instanceof Blob ? new Blob([text], { type: given.type }) : new TextEncoder().encode(text);
}

/** The user agent. SDKs that Stainless generates also name themselves in a header: `Anthropic/JS 1.8.0`. */
function agentIn(headers: Headers): string {
  const agent = headers.get("user-agent") ?? "";
  const isStainless = headers.get("x-stainless-lang") === "js";
  return isStainless && !agent.includes("/JS") ? `${agent} Stainless/JS`.trim() : agent;
}

function helperIn(headers: Headers): Helper | undefined {
  const method = headers.get("x-stainless-helper-method");
  return method === null ? undefined : { method, version: headers.get("x-stainless-package-version") ?? undefined };
}

/** The same request with another body, of the same implementation: one does not accept the requests of another. */
function requestWith(request: Request, body: string): Request {
  const own: unknown = Reflect.get(request, "constructor");
  const make = (request instanceof Request ? Request : own) as typeof Request; // throws if it is not a class, and the request is sent unchanged
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  return new make(request, { headers, body });
}

type GivenHeaders = NonNullable<RequestInit["headers"]>;

/** Headers without `content-length`, in the same shape: the function that sends them may depend on it. */
function withoutLength(headers: GivenHeaders): GivenHeaders {
  if (Array.isArray(headers)) return headers.filter(([name = ""]) => !isLength(name));
  if (!(Symbol.iterator in headers)) {
    return Object.fromEntries(Object.entries(headers).filter(([name]) => !isLength(name)));
  }
  const others = new Headers(headers);
  if (!others.has("content-length")) return headers;
  others.delete("content-length");
  return others;
}

const isLength = (name: string): boolean => name.toLowerCase() === "content-length";

/** The tools that a request offers. Undefined if the request was not read or does not name all of them. */
export function toolsIn({ tools, messages, input }: SentRequest["body"] = {}): readonly unknown[] | undefined {
  if (!Array.isArray(tools) || tools.some(isToolset)) return undefined;
  const isMore =
    (Array.isArray(input) && input.some(bringsTools)) || (Array.isArray(messages) && messages.some(addsTool));
  return isMore ? undefined : (tools as readonly unknown[]);
}

/** Anthropic's toolsets contain tools whose names only the provider knows. */
const isToolset = (tool: unknown): boolean => isRecord(tool) && /_toolset_\d+$/u.test(wordOf(tool["type"]));

/** An OpenAI item that adds tools in the middle of a conversation. */
const bringsTools = (item: unknown): boolean =>
  isRecord(item) && (item["type"] === "additional_tools" || item["type"] === "tool_search_output");

/** An Anthropic message that adds tools. */
const addsTool = (message: unknown): boolean =>
  isRecord(message) &&
  message["role"] === "system" &&
  Array.isArray(message["content"]) &&
  message["content"].some((block) => isRecord(block) && block["type"] === "tool_addition");

export const addressOf = (input: string | URL | Request): string =>
  typeof input === "string" ? input : isRequest(input) ? input.url : input.href;

/** Also for requests of another implementation, such as undici. */
const isRequest = (input: unknown): input is Request =>
  typeof input === "object" && input !== null && "url" in input && "clone" in input;

/** True for a body that is signed, compressed or hashed, so that a change would invalidate it. */
function isSigned(headers: Headers, address: string): boolean {
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

function parse(text: string): JsonObject | undefined {
  const value = parseJson(text); // the provider reports text that is not JSON
  return isRecord(value) ? value : undefined;
}

/** True for a request that asks for one choice. False if it was not read. */
export const requestsOneChoice = ({ body }: Pick<SentRequest, "body">): boolean =>
  body !== undefined && (body["n"] ?? 1) === 1;

/** How far a body is read. */
interface ReadLimits {
  readonly maxBytes: number;
  /** Reading stops when this is aborted. */
  readonly signal: AbortSignal | undefined;
}

/** A body that is too large or can be read only once. */
const unread = Symbol("unread");

/** The text of a body. Undefined if it is not a JSON object or will not be sent. */
type TextRead = string | typeof unread | undefined;

/** The text of the JSON object in a `Request`, read from a clone. Reading stops early at other content, such as an upload. */
async function textIn(request: Request, { maxBytes, signal }: ReadLimits): Promise<TextRead> {
  if (!isStream(request.body) || request.bodyUsed || signal?.aborted === true) return undefined;
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) return unread;
  const copy: unknown = request.clone().body;
  return isStream(copy) ? textOfStream(copy, { maxBytes, signal }) : undefined;
}

/** The same for a `Blob`. */
async function textInBlob(blob: Blob, limits: ReadLimits): Promise<TextRead> {
  return blob.size > limits.maxBytes ? unread : textOfStream(blob.stream(), limits);
}

async function textOfStream(copy: ReadableStream<Uint8Array>, { maxBytes, signal }: ReadLimits): Promise<TextRead> {
  const source = peekable(copy);
  let isStopped = false;
  let isTooLarge = false;
  const stop = (): void => {
    isStopped = true;
    source.cancel().catch(() => undefined); // settles with the original, which is not read here
  };
  signal?.addEventListener("abort", stop, { once: true });
  const { bytes, isWhole } = await peek(source, (read, size) => {
    const begun = read.find((delta) => !isBlank(delta));
    if (begun !== undefined && !opensObject(begun)) return true;
    isTooLarge = size > maxBytes;
    return isTooLarge;
  });
  signal?.removeEventListener("abort", stop);
  if (isTooLarge && !isStopped) {
    stop();
    return unread;
  }
  if (!isWhole) stop();
  return isStopped ? undefined : textOf(bytes, { maxBytes });
}

const isStream = (body: unknown): body is ReadableStream<Uint8Array> =>
  typeof body === "object" && body !== null && "getReader" in body;

/** The text of a body given as a value. A stream can be read only once and stays unread. */
function textOf(body: unknown, { maxBytes }: Pick<ReadLimits, "maxBytes">): TextRead {
  if (typeof body === "string") return isLarger(body, maxBytes) ? unread : body.replace(/^\uFEFF/u, "");
  if (isStream(body)) return unread;
  if (!ArrayBuffer.isView(body) && !(body instanceof ArrayBuffer)) return undefined;
  if (body.byteLength > maxBytes) return unread;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body as Uint8Array); // a view of any kind
  } catch {
    return undefined; // not text
  }
}

/** True for a text of more bytes. A UTF-16 unit has at most three, so that most texts need not be encoded. */
const isLarger = (text: string, maxBytes: number): boolean =>
  text.length > maxBytes || (text.length * 3 > maxBytes && new TextEncoder().encode(text).length > maxBytes);
