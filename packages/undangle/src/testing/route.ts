import type { WireFormat } from "./faults/fault.ts";

/** The request type of a path. */
export interface Route {
  readonly format: WireFormat;
  /** The model, if the path contains it. */
  readonly model: string | undefined;
  /** Whether the path requests a stream. Undefined if the body decides. */
  readonly isStream: boolean | undefined;
  /** True for a stream as one JSON list, which Gemini sends without `alt=sse`. */
  readonly asList: boolean;
}

/** The format of a request by its path. Undefined for an unknown path. */
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
