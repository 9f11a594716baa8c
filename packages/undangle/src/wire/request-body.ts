import type { Helper, StreamFormat } from "#codecs";
import { isRecord, wordOf } from "#core";

import { textIn, textInBlob, textOf, unread } from "./request-text.ts";
import type { ReadLimits, TextRead } from "./request-text.ts";

/** What the address of a request and its headers say. */
interface Sender {
  readonly url: string;
  /** What the client calls itself, also where a program has given it another name. */
  readonly agent: string;
  /** How the program uses the client, where that tells. */
  readonly helper?: Helper | undefined;
  /** The version of Anthropic's protocol, which only its clients name. */
  readonly version: string | undefined;
}

/** The body of a request as it was read, and the way to put another one in its place. */
export interface ReadRequest extends Sender {
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The arguments of `fetch` with another body. */
  readonly withBody: (text: string) => readonly [input: string | URL | Request, init: RequestInit | undefined];
}

/** A request whose body cannot be read, or is none that may be changed: its answer can all the same. */
export interface UnreadRequest extends Sender {
  readonly text: undefined;
  readonly body: undefined;
}

export type SentRequest = ReadRequest | UnreadRequest;

/** Reads a request that may have a JSON object in it; undefined for all others. */
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
  const text = isSealed(headers, sender.url) ? unread : await textGiven(given, request, { maxBytes, signal });
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

/** A copy with all that `fetch` finds in an `init`, where it also looks for what is inherited, and asks getters. */
function membersOf(init: RequestInit): RequestInit {
  const inherited = memberNames.filter((name) => !Object.hasOwn(init, name) && Reflect.get(init, name) !== undefined);
  return { ...Object.fromEntries(inherited.map((name) => [name, Reflect.get(init, name) as unknown])), ...init };
}

/** What stands in an `init`, but for the body. */
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

/** A text as what was given: a `Blob` tells its type. */
function inShapeOf(given: unknown, text: string): string | Blob | Uint8Array<ArrayBuffer> {
  if (typeof given === "string") return text;
  return given instanceof Blob ? new Blob([text], { type: given.type }) : new TextEncoder().encode(text);
}

/** The clients that Stainless makes for Anthropic and others say so twice, the one as in `Anthropic/JS 1.8.0`. */
function agentIn(headers: Headers): string {
  const agent = headers.get("user-agent") ?? "";
  const isStainless = headers.get("x-stainless-lang") === "js";
  return isStainless && !agent.includes("/JS") ? `${agent} Stainless/JS`.trim() : agent;
}

function helperIn(headers: Headers): Helper | undefined {
  const method = headers.get("x-stainless-helper-method");
  return method === null ? undefined : { method, version: headers.get("x-stainless-package-version") ?? undefined };
}

/** The same request with another body, made by whoever has made the first: no implementation knows those of others. */
function requestWith(request: Request, body: string): Request {
  const own: unknown = Reflect.get(request, "constructor");
  const make = (request instanceof Request ? Request : own) as typeof Request; // what is no class throws, and nothing is changed
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  return new make(request, { headers, body });
}

type GivenHeaders = NonNullable<RequestInit["headers"]>;

/** Headers without the length of a body, in the shape that they have: whoever sends them may count on it. */
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

/** The tools that a request offers; undefined also where it does not name them all, or was not read. */
export function toolsIn({ tools, messages, input }: SentRequest["body"] = {}): readonly unknown[] | undefined {
  if (!Array.isArray(tools) || tools.some(isToolset)) return undefined;
  const isMore =
    (Array.isArray(input) && input.some(bringsTools)) || (Array.isArray(messages) && messages.some(addsTool));
  return isMore ? undefined : (tools as readonly unknown[]);
}

/** Anthropic's sets of tools have names that only the provider gives. */
const isToolset = (tool: unknown): boolean => isRecord(tool) && /_toolset_\d+$/u.test(wordOf(tool["type"]));

/** An item of OpenAI's with tools that the model may call from there on. */
const bringsTools = (item: unknown): boolean =>
  isRecord(item) && (item["type"] === "additional_tools" || item["type"] === "tool_search_output");

/** A message of Anthropic's that does the same. */
const addsTool = (message: unknown): boolean =>
  isRecord(message) &&
  message["role"] === "system" &&
  Array.isArray(message["content"]) &&
  message["content"].some((block) => isRecord(block) && block["type"] === "tool_addition");

/**
 * True when a request asks for a stream: Gemini's says so in its address, and Ollama's has to say that it does not. Of one that was
 * not read only the address is known.
 */
export function isStreamAsked({ url, body = {} }: Pick<SentRequest, "url" | "body">, format: StreamFormat): boolean {
  if (format === "gemini") return url.includes(":streamGenerateContent?") && /[?&]alt=sse(?:&|$)/u.test(url);
  if (format === "ollama") return body["stream"] !== false;
  return body["stream"] === true || /:streamRawPredict(?:\?|$)/u.test(url);
}

/** True when a request asks for a stream that is a list: Gemini's without `alt=sse`. */
export const isListAsked = (request: Pick<SentRequest, "url" | "body">, format: StreamFormat): boolean =>
  format === "gemini" && /:streamGenerateContent(?:\?|$)/u.test(request.url) && !isStreamAsked(request, format);

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

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // the server will say so
  }
}

/** True for a request that asks for one answer, as nearly all do; of one that was not read nobody knows. */
export const isSingle = ({ body }: Pick<SentRequest, "body">): boolean => body !== undefined && (body["n"] ?? 1) === 1;
