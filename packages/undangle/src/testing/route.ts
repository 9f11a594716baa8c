import type { WireFormat } from "./faults/fault.ts";

/** What a path asks for. */
export interface Route {
  readonly format: WireFormat;
  /** The model, where the path names it. */
  readonly model: string | undefined;
  /** Whether the path asks for a stream; undefined where the body does. */
  readonly isStream: boolean | undefined;
  /** A stream as one JSON list: Gemini's way without `alt=sse`. */
  readonly asList: boolean;
}

/** The format of a request by its path; undefined for one that no provider has. */
export function routeOf(url: string): Route | undefined {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const at = (format: WireFormat, rest: Partial<Route> = {}): Route => ({
    format,
    model: undefined,
    isStream: undefined,
    asList: false,
    ...rest,
  });
  if (pathname.endsWith("/chat/completions")) return at("openai-chat");
  if (pathname.endsWith("/responses")) return at("openai-responses");
  if (pathname.endsWith("/messages")) return at("anthropic");
  if (pathname.endsWith("/api/chat")) return at("ollama");
  const [, converse, stream] = /\/model\/([^/]+)\/converse(-stream)?$/u.exec(pathname) ?? [];
  if (converse !== undefined) {
    return at("bedrock", { model: decodeURIComponent(converse), isStream: stream !== undefined });
  }
  const [, model, verb] = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/u.exec(pathname) ?? [];
  if (model === undefined) return undefined;
  const isStream = verb === "streamGenerateContent";
  const asList = isStream && searchParams.get("alt") !== "sse";
  return at("gemini", { model: decodeURIComponent(model), isStream, asList });
}
