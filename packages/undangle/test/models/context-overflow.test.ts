import { UndangleError } from "undangle";
import { createAgent, defineMiddleware } from "undangle/agent";
import { anthropic, fallback, openai } from "undangle/models";
import { scriptedModel, wireServer } from "undangle/testing";
import { describe, expect, test } from "vitest";
import { aiSdkFamilies, modelOf } from "./ai-sdk-families.ts";
import { faultOf, hear } from "./asking.ts";
import { compatible, families } from "./families.ts";
import { rawServer } from "./raw-server.ts";

const chat = (message: string, code: string | null = null, type = "invalid_request_error"): string =>
  JSON.stringify({ error: { message, type, param: null, code } });

interface Refusal {
  readonly status: number;
  readonly body: string;
  readonly limit?: number;
  readonly requested?: number;
}

/** What each provider really responds with. */
const refusals: Readonly<Record<string, Refusal>> = {
  "openai, responses": {
    status: 400,
    body: chat(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "context_length_exceeded",
    ),
  },
  "openai, chat": {
    status: 400,
    body: chat(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
      "context_length_exceeded",
    ),
    limit: 128_000,
    requested: 204_308,
  },
  anthropic: {
    status: 400,
    body: JSON.stringify({
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 219898 tokens > 200000 maximum" },
      request_id: "req_011",
    }),
    limit: 200_000,
    requested: 219_898,
  },
  gemini: {
    status: 400,
    body: JSON.stringify({
      error: {
        code: 400,
        message: "The input token count (2845475) exceeds the maximum number of tokens allowed (1048576).",
        status: "INVALID_ARGUMENT",
      },
    }),
    limit: 1_048_576,
    requested: 2_845_475,
  },
  mistral: {
    status: 400,
    body: JSON.stringify({
      object: "error",
      message: "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_prompt",
      code: "3051",
    }),
    limit: 32_768,
    requested: 40_000,
  },
  ollama: { status: 400, body: JSON.stringify({ error: "prompt too long; exceeded max context length by 12 tokens" }) },
  deepseek: {
    status: 400,
    body: chat(
      "This model's maximum context length is 65536 tokens. However, you requested 66343 tokens (62247 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.",
      "invalid_request_error",
    ),
    limit: 65_536,
    requested: 66_343,
  },
  moonshot: {
    status: 400,
    body: chat("Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)"),
    limit: 131_072,
    requested: 140_000,
  },
  zhipu: { status: 400, body: JSON.stringify({ error: { code: "1261", message: "Prompt exceeds max length" } }) },
  dashscope: {
    status: 400,
    body: chat(
      "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]",
      "invalid_parameter_error",
    ),
    limit: 983_616,
  },
  minimax: {
    status: 200,
    body: JSON.stringify({
      choices: null,
      base_resp: { status_code: 2013, status_msg: "invalid params, context window exceeds limit (2013)" },
    }),
  },
  groq: {
    status: 400,
    body: chat("Please reduce the length of the messages or completion.", "context_length_exceeded"),
  },
  xai: {
    status: 400,
    body: JSON.stringify({
      code: "Client specified an invalid argument",
      error: "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
    }),
    limit: 131_072,
    requested: 136_973,
  },
  openrouter: {
    status: 400,
    body: JSON.stringify({
      error: {
        message:
          "This endpoint's maximum context length is 131072 tokens. However, you requested about 141607 tokens (10535 of text input, 131072 in the output).",
        code: 400,
        metadata: { provider_name: "Chutes" },
      },
    }),
    limit: 131_072,
    requested: 141_607,
  },
  azure: {
    status: 400,
    body: chat(
      "This model's maximum context length is 4096 tokens. However, your messages resulted in 4215 tokens. Please reduce the length of the messages.",
      "context_length_exceeded",
    ),
    limit: 4096,
    requested: 4215,
  },
  vllm: {
    status: 400,
    body: JSON.stringify({
      object: "error",
      message:
        "This model's maximum context length is 16384 tokens. However, you requested 19591 tokens (9591 in the messages, 10000 in the completion). Please reduce the length of the messages or completion. None",
      type: "BadRequestError",
      param: null,
      code: 400,
    }),
    limit: 16_384,
    requested: 19_591,
  },
  llamacpp: {
    status: 400,
    body: JSON.stringify({
      error: {
        code: 400,
        message:
          "the request exceeds the available context size. try increasing the context size or enable context shift",
        type: "exceed_context_size_error",
        n_prompt_tokens: 14_429,
        n_ctx: 8192,
      },
    }),
    limit: 8192,
    requested: 14_429,
  },
  lmstudio: {
    status: 400,
    body: JSON.stringify({
      error:
        "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough.",
    }),
    limit: 32_768,
    requested: 111_490,
  },
};

describe.each([...families, ...compatible])("A conversation that is too long for $name", ({ name, make }) => {
  test("fails with a code and the sizes, and is not sent again", async () => {
    const { status, body, ...sizes } = refusals[name] ?? { status: 0, body: "" };
    const server = await rawServer((response) => {
      response.writeHead(status, { "content-type": "application/json" }).end(body);
    });
    const error = faultOf(await hear(make(server.url)));
    expect(error.code).toBe("model/context-overflow");
    expect(error.data).toMatchObject({ canRetry: false, ...sizes });
    expect(server.requests).toHaveLength(1);
    await server.close();
  });
});

describe.each(aiSdkFamilies)("A conversation that is too long for a model of the AI SDK: $name", (family) => {
  test("fails with a code and the sizes, and is not sent again", async () => {
    const message =
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens.";
    const server = await wireServer({ turns: [{ error: { status: 400, message } }] });
    const error = faultOf(await hear(modelOf(family, server.baseUrl(family.format))));
    expect(error.code).toBe("model/context-overflow");
    expect(error.data).toMatchObject({ canRetry: false, limit: 8192, requested: 8227 });
    expect(server.requests).toHaveLength(1);
    await server.close();
  });
});

const tooLong = { error: { status: 400, message: "prompt is too long: 219898 tokens > 200000 maximum" } };

describe("A context overflow", () => {
  test("can be caught by a middleware, which sends a shorter request", async () => {
    const shorten = defineMiddleware({
      name: "shorten",
      wrapModelCall: (next) => async (request) => {
        const stream = await next(request);
        try {
          await stream.turn();
          return stream;
        } catch (error) {
          if (!(error instanceof UndangleError && error.is("model/context-overflow"))) throw error;
          return next({ ...request, messages: request.messages.slice(-1) });
        }
      },
    });
    const server = await wireServer({ turns: [tooLong, { text: "Short." }] });
    const model = anthropic("claude-sonnet-4-5", { baseURL: server.baseUrl("anthropic"), apiKey: "none" });
    const agent = createAgent({ model, middleware: [shorten] });
    expect(await agent.thread("t").send("A long story …").result).toMatchObject({ status: "done", text: "Short." });
    await server.close();
  });

  test("lets another model with a larger window respond", async () => {
    const server = await wireServer({ turns: [tooLong] });
    const small = anthropic("claude-sonnet-4-5", { baseURL: server.baseUrl("anthropic"), apiKey: "none" });
    const { turn } = await hear(fallback(small, scriptedModel([{ text: "From the large one." }])));
    expect(turn?.text).toBe("From the large one.");
    await server.close();
  });

  test("in the middle of a stream has the same code", async () => {
    const { body } = refusals["openai, chat"] ?? { body: "" };
    const server = await rawServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${body}\n\n`);
    });
    const error = faultOf(await hear(openai("gpt-4.1", { api: "chat", baseURL: server.url, apiKey: "none" })));
    expect(error.data).toMatchObject({ limit: 128_000, requested: 204_308 });
    expect(error.code).toBe("model/context-overflow");
    expect(server.requests).toHaveLength(1);
    await server.close();
  });
});
