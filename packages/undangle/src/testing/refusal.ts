import type { WireFormat } from "./faults/fault.ts";

/** An error response. */
export interface Refusal {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** An error response in the format of a provider. */
export function refusalOf(format: WireFormat, status: number, message: string): Refusal {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (format === "bedrock")
    headers["x-amzn-errortype"] = status < 500 ? "ValidationException" : "InternalServerException";
  return { status, headers, body: bodies[format](message, status) };
}

const openai = (message: string, status: number) => ({
  error: { message, type: status < 500 ? "invalid_request_error" : "server_error", param: null, code: null },
});

const bodies: Readonly<Record<WireFormat, (message: string, status: number) => unknown>> = {
  "openai-chat": openai,
  "openai-responses": openai,
  anthropic: (message, status) => ({
    type: "error",
    error: { type: anthropicTypes.get(status) ?? (status < 500 ? "invalid_request_error" : "api_error"), message },
    request_id: "req_0",
  }),
  gemini: (message, code) => ({
    error: {
      code,
      message,
      status: code === 429 ? "RESOURCE_EXHAUSTED" : code < 500 ? "INVALID_ARGUMENT" : "INTERNAL",
    },
  }),
  bedrock: (message) => ({ message }),
  ollama: (error) => ({ error }),
};

const anthropicTypes: ReadonlyMap<number, string> = new Map([
  [401, "authentication_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [529, "overloaded_error"],
]);
