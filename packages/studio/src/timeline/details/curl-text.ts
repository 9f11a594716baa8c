import type { ReceivedExchange } from "undangle/client";

interface Endpoint {
  /** As a part of a double-quoted word of the shell. */
  readonly url: (model: string) => string;
  readonly headers: Readonly<Record<string, string>>;
  readonly variables: readonly string[];
}

const openai = { headers: { authorization: "Bearer $OPENAI_API_KEY" }, variables: ["OPENAI_API_KEY"] };

/** Where a body of a format is sent if the server knows no address: to its provider, or to the server that a variable names. */
const endpoints: Readonly<Record<string, Endpoint>> = {
  "openai-chat": { ...openai, url: () => "${OPENAI_BASE_URL:-https://api.openai.com/v1}/chat/completions" },
  "openai-responses": { ...openai, url: () => "${OPENAI_BASE_URL:-https://api.openai.com/v1}/responses" },
  anthropic: {
    url: () => "${ANTHROPIC_BASE_URL:-https://api.anthropic.com}/v1/messages",
    headers: { "x-api-key": "$ANTHROPIC_API_KEY", "anthropic-version": "2023-06-01" },
    variables: ["ANTHROPIC_API_KEY"],
  },
  gemini: {
    url: (model) =>
      `\${GEMINI_BASE_URL:-https://generativelanguage.googleapis.com}/v1beta/models/${model}:generateContent`,
    headers: { "x-goog-api-key": "$GEMINI_API_KEY" },
    variables: ["GEMINI_API_KEY"],
  },
  bedrock: {
    url: (model) => `\${BEDROCK_BASE_URL:-https://bedrock-runtime.us-east-1.amazonaws.com}/model/${model}/converse`,
    headers: { authorization: "Bearer $AWS_BEARER_TOKEN_BEDROCK" },
    variables: ["AWS_BEARER_TOKEN_BEDROCK"],
  },
  ollama: { url: () => "${OLLAMA_BASE_URL:-http://127.0.0.1:11434}/api/chat", headers: {}, variables: [] },
};

/** A command for bash that sends the request again. */
export interface CurlCommand {
  readonly text: string;
  /** The variables of the shell that it reads. */
  readonly variables: readonly string[];
}

/** The text to show and to copy. What was recorded is shown as it is; what was written again has no layout of its own. */
export const shownText = ({ source, body, text }: ReceivedExchange): string =>
  source === "recorded" || typeof body === "string" ? text : JSON.stringify(body, null, 2);

/**
 * The command for a request; undefined for formats without an HTTP endpoint, and for a body that was cut off. The body is
 * a here-document, because Linux accepts at most 128 kB in one argument.
 */
export function curlCommand(exchange: ReceivedExchange): CurlCommand | undefined {
  const { format, model, body, target } = exchange;
  const endpoint = Object.hasOwn(endpoints, format) ? endpoints[format] : undefined;
  if (typeof body === "string" || (target === undefined && endpoint === undefined)) return undefined;
  const { headers, variables } = target ?? endpoint ?? { headers: {}, variables: [] };
  const id = encodeURIComponent(model.slice(model.indexOf("/") + 1)); // the name begins with that of the provider
  const url = target === undefined ? `"${endpoint?.url(id) ?? ""}"` : quoted(target.url);
  const all = { "content-type": "application/json", ...headers };
  const text = [
    `curl ${url}`,
    ...Object.entries(all).map(([name, value]) => `-H ${word(`${name}: ${value}`, variables)}`),
    `--data-binary @- <<'JSON'\n${visibleJson(shownText(exchange))}\nJSON`,
  ].join(" \\\n  ");
  return { text, variables };
}

/** One word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The same, in which variables keep their meaning. */
const word = (text: string, variables: readonly string[]): string =>
  text
    .split(/(\$\w+)/u)
    .filter((part) => part !== "")
    .map((part) => (variables.includes(part.slice(1)) && part.startsWith("$") ? `"${part}"` : quoted(part)))
    .join("");

/** JSON in which characters that hide or reorder text are escaped: what is pasted is what is seen. */
const visibleJson = (json: string): string =>
  json.replace(/[\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => String.raw`\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
