import type { RemoteExchange } from "undangle/client";

interface Endpoint {
  readonly url: (model: string) => string;
  readonly headers: readonly string[];
}

/** Where a body of a format is sent. The keys are variables of the shell, so that no key is copied. */
const endpoints: Readonly<Record<string, Endpoint>> = {
  "openai-chat": {
    url: () => "https://api.openai.com/v1/chat/completions",
    headers: ["Authorization: Bearer $OPENAI_API_KEY"],
  },
  "openai-responses": {
    url: () => "https://api.openai.com/v1/responses",
    headers: ["Authorization: Bearer $OPENAI_API_KEY"],
  },
  anthropic: {
    url: () => "https://api.anthropic.com/v1/messages",
    headers: ["x-api-key: $ANTHROPIC_API_KEY", "anthropic-version: 2023-06-01"],
  },
  gemini: {
    url: (model) =>
      `https://generativelanguage.googleapis.com/v1beta/models/${encodeURIComponent(model)}:generateContent`,
    headers: ["x-goog-api-key: $GEMINI_API_KEY"],
  },
  bedrock: {
    url: (model) => `https://bedrock-runtime.us-east-1.amazonaws.com/model/${encodeURIComponent(model)}/converse`,
    headers: ["Authorization: Bearer $AWS_BEARER_TOKEN_BEDROCK"],
  },
  ollama: { url: () => "http://127.0.0.1:11434/api/chat", headers: [] },
};

/** A command that sends the request again; undefined for formats without an HTTP endpoint. */
export function curlText({ format, model, body }: RemoteExchange): string | undefined {
  const endpoint = endpoints[format];
  if (endpoint === undefined) return undefined;
  const headers = ["Content-Type: application/json", ...endpoint.headers];
  return [
    `curl ${quoted(endpoint.url(model))}`,
    ...headers.map((header) => `-H "${header}"`),
    `--data-binary ${quoted(visibleJson(body))}`,
  ].join(" \\\n  ");
}

/** One word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The body in which characters that hide or reorder text are escaped: what is pasted is what is seen. A truncated body is a text. */
const visibleJson = (value: unknown): string =>
  (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "null")).replace(
    /[\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) =>
      Array.from(
        { length: character.length },
        (_, i) => String.raw`\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
      ).join(""),
  );
