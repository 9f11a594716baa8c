import { isRecord, parseJson } from "./json.ts";

/** The sizes of a request that is too long, as far as the error contains them. In tokens. */
export interface ContextOverflow {
  /** The size of the context of the model. */
  readonly limit?: number;
  /** The size of the request, including tokens reserved for the response if the provider counts them. */
  readonly requested?: number;
}

/**
 * Recognizes the error of any provider for a conversation that is too long for the model: the text or body of a
 * response, or what an SDK threw. Undefined for any other error, such as a limit of tokens per minute.
 */
export function contextOverflow(error: unknown): ContextOverflow | undefined {
  if (isRecord(error) && error["code"] === "model/context-overflow") return sizesOf(error["data"]);
  const words = wordsIn(error).join(" ");
  const found = overflowTexts.flatMap(({ says }) => {
    const match = says.exec(words);
    return match === null ? [] : [sizesIn(match.groups ?? {})];
  });
  if (found.length > 0) return Object.assign({}, ...found.toReversed()) as ContextOverflow; // the first row decides
  return statusIn(error) === 413 && !aboutRate.test(words) ? {} : undefined;
}

/** A text with which a provider refuses a request that is too long. The groups are the sizes. */
interface OverflowText {
  /** Its sources. Gateways forward texts of others, so every row applies to every provider. */
  readonly from: string;
  /** The HTTP status; undefined if the error is in a stream, or has status 200. */
  readonly status: number | undefined;
  readonly says: RegExp;
  readonly example: string;
  readonly source: string;
}

/** The known texts. To add one, add a row; a test reads its example. */
export const overflowTexts: readonly OverflowText[] = [
  {
    from: "openai, azure, deepseek, vllm",
    status: 400,
    says: /maximum context length is (?<limit>[\d,]+) tokens[.,] [Hh]owever,? (?:you requested(?: about)?|your (?:messages|input|request|prompt) (?:resulted in|contains|has)) (?<requested>[\d,]+)/u,
    example:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
    source: "https://github.com/webtimemachine/wtm2/issues/579",
  },
  {
    from: "openrouter",
    status: 400,
    says: /endpoint's maximum context length is (?<limit>[\d,]+) tokens\. However, you requested about (?<requested>[\d,]+)/u,
    example:
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 141607 tokens (10535 of text input, 131072 in the output).",
    source: "https://github.com/Aider-AI/aider/issues/3721",
  },
  {
    from: "openai, azure",
    status: 400,
    says: /context_length_exceeded/u,
    example: "code=context_length_exceeded",
    source: "https://github.com/AsyncFuncAI/deepwiki-open/issues/144",
  },
  {
    from: "openai",
    status: 400,
    says: /exceeds? the context window/iu,
    example: "Your input exceeds the context window of this model. Please adjust your input and try again.",
    source: "https://github.com/openai/codex/issues/20866",
  },
  {
    from: "openai",
    status: 400,
    says: /exceed the configured limit of (?<limit>[\d,]+) tokens\. Your messages resulted in (?<requested>[\d,]+)/u,
    example:
      "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages.",
    source: "https://github.com/cline/cline/issues/5474",
  },
  {
    from: "copilot",
    status: 400,
    says: /prompt token count of (?<requested>[\d,]+) exceeds the limit of (?<limit>[\d,]+)/u,
    example: "prompt token count of 93854 exceeds the limit of 90000",
    source: "https://github.com/jjleng/copilot-more/issues/35",
  },
  {
    from: "anthropic, bedrock",
    status: 400,
    says: /prompt is too long(?:: (?<requested>[\d,]+) tokens > (?<limit>[\d,]+) maximum)?/iu,
    example: "prompt is too long: 219898 tokens > 200000 maximum",
    source: "https://github.com/earendil-works/pi/issues/102",
  },
  {
    from: "anthropic, bedrock",
    status: 400,
    says: /exceed context limit: (?<requested>\d+) \+ (?<reserved>\d+) > (?<limit>\d+)/u,
    example:
      "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again",
    source: "https://github.com/continuedev/continue/issues/6080",
  },
  {
    from: "anthropic",
    status: 413,
    says: /request_too_large|request entity too large/iu,
    example: "type=request_too_large message=Request exceeds the maximum size",
    source: "https://docs.anthropic.com/en/api/errors",
  },
  {
    from: "gemini, vertex",
    status: 400,
    says: /input token count(?: \((?<requested>\d+)\))? exceeds the maximum number of tokens allowed(?: \((?<limit>\d+)\))?/u,
    example: "The input token count (2845475) exceeds the maximum number of tokens allowed (1048576).",
    source: "https://github.com/google-gemini/gemini-cli/issues/4692",
  },
  {
    from: "bedrock",
    status: 400,
    says: /Input is too long for requested model/iu,
    example: "The model returned the following errors: Input is too long for requested model.",
    source: "https://github.com/aws-samples/bedrock-chat/issues/95",
  },
  {
    from: "bedrock",
    status: 400,
    says: /too many input tokens(?:\. Max input tokens: (?<limit>\d+), request input token count: (?<requested>\d+))?/iu,
    example: "400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9279",
    source: "https://github.com/pkdone/paul-genai-test-tools-ts",
  },
  {
    from: "mistral",
    status: 400,
    says: /Prompt contains (?<requested>\d+) tokens.{0,60}too large for model with (?<limit>\d+) maximum context length/u,
    example: "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    source: "https://docs.mistral.ai/resources/known-limitations",
  },
  {
    from: "vllm",
    status: 400,
    says: /prompt \(length (?<requested>\d+)\) is longer than the maximum model length of (?<limit>\d+)/u,
    example: "The decoder prompt (length 10127) is longer than the maximum model length of 8192.",
    source: "https://github.com/Gabesarch/grounded-rl/issues/16",
  },
  {
    from: "vllm",
    status: 400,
    says: /prompt \(total length (?<requested>\d+)\) is too long to fit into the model \(context length (?<limit>\d+)\)/u,
    example: "The prompt (total length 25938) is too long to fit into the model (context length 4096).",
    source: "https://github.com/vllm-project/vllm/issues/12165",
  },
  {
    from: "sglang, together",
    status: 400,
    says: /input \((?<requested>\d+) tokens\) is longer than the model'?s context length(?: \((?<limit>\d+) tokens\))?/u,
    example: "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
    source: "https://github.com/QwenLM/Qwen3/issues/1321",
  },
  {
    from: "sglang, openrouter",
    status: 400,
    says: /Input length \((?<requested>\d+) tokens\) exceeds the maximum allowed (?:input )?length(?: \((?<limit>\d+) tokens\))?|exceeds the maximum allowed input length/iu,
    example: "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).",
    source: "https://github.com/sgl-project/sglang/issues/4048",
  },
  {
    from: "together, tgi",
    status: 422,
    says: /`inputs` tokens \+ `max_new_tokens` must be <= (?<limit>\d+)\. Given: (?<requested>\d+) `inputs` tokens and (?<reserved>\d+)/u,
    example:
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 80125 `inputs` tokens and 4096 `max_new_tokens`",
    source: "https://github.com/BerriAI/litellm/issues/4934",
  },
  {
    from: "fireworks",
    status: 400,
    says: /prompt is too long: (?<requested>\d+), model maximum context length: (?<limit>\d+)/u,
    example: "The prompt is too long: 40177, model maximum context length: 32767",
    source: "https://github.com/fw-ai/cookbook/issues/134",
  },
  {
    from: "cerebras, groq",
    status: 400,
    says: /reduce the length of the messages(?: or completion)?(?:\. Current length is (?<requested>\d+) while limit is (?<limit>\d+))?/iu,
    example: "Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000",
    source: "https://github.com/cline/cline/issues/5140",
  },
  {
    from: "llamacpp",
    status: 400,
    says: /exceeds? the available context size|exceed_context_size_error/u,
    example: "the request exceeds the available context size, try increasing it",
    source: "https://github.com/ggml-org/llama.cpp/pull/15780",
  },
  {
    from: "llamacpp",
    status: 400,
    says: /request \((?<requested>\d+) tokens\) exceeds the available context size \((?<limit>\d+) tokens\)/u,
    example: "request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it",
    source: "https://github.com/ggml-org/llama.cpp/pull/16486",
  },
  {
    from: "llamacpp",
    status: 400,
    says: /n_prompt_tokens=(?<requested>\d+) n_ctx=(?<limit>\d+)/u,
    example: "type=exceed_context_size_error n_prompt_tokens=1407 n_ctx=256",
    source: "https://github.com/ggml-org/llama.cpp/pull/15780",
  },
  {
    from: "llamacpp",
    status: 400,
    says: /Requested tokens(?: \((?<requested>\d+)\))? exceed context window of (?<limit>\d+)/u,
    example: "Requested tokens (2285) exceed context window of 2048",
    source: "https://github.com/run-llama/llama_index/issues/8046",
  },
  {
    from: "ollama",
    status: 400,
    says: /prompt too long; exceeded (?:max )?context length|input (?:length )?exceeds (?:the |maximum )?context length/iu,
    example: "prompt too long; exceeded max context length by 12 tokens",
    source: "https://github.com/ollama/ollama/blob/main/runner/ollamarunner/runner.go",
  },
  {
    from: "mlx",
    status: 400,
    says: /Prompt too long: (?<requested>\d+) tokens exceeds max context window of (?<limit>\d+)|Prompt exceeds maximum context length/u,
    example: "Prompt too long: 41911 tokens exceeds max context window of 32768 tokens",
    source: "https://github.com/ValueCell-ai/ClawX/issues/658",
  },
  {
    from: "lmstudio",
    status: 400,
    says: /greater than the context length|context (?:size|length) (?:has been )?exceeded/iu,
    example: "The number of tokens to keep from the initial prompt is greater than the context length.",
    source: "https://github.com/anomalyco/opencode/issues/2259",
  },
  {
    from: "lmstudio",
    status: 400,
    says: /keep the first (?<requested>\d+) tokens when context the overflows.{0,80}context length of only (?<limit>\d+)/u,
    example:
      "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough.",
    source: "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/546",
  },
  {
    from: "lmstudio",
    status: 400,
    says: /n_keep \((?<requested>\d+)\) >= n_ctx \((?<limit>\d+)\)/u,
    example: "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)",
    source: "https://github.com/anomalyco/opencode/issues/11141",
  },
  {
    from: "dashscope",
    status: 400,
    says: /Range of input length should be \[1, (?<limit>\d+)\]/u,
    example: "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]",
    source: "https://github.com/QwenLM/qwen-code/issues/2068",
  },
  {
    from: "moonshot",
    status: 400,
    says: /exceeded model token limit: (?<limit>\d+)(?: \(requested: (?<requested>\d+)\))?/u,
    example: "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)",
    source: "https://github.com/MoonshotAI/kimi-cli/issues/2011",
  },
  {
    from: "zhipu",
    status: 400,
    says: /code=1261\b|Prompt exceeds max length|Prompt\s?超长|model_context_window_exceeded/iu,
    example: "code=1261 message=Prompt exceeds max length",
    source: "https://github.com/zeroclaw-labs/zeroclaw/issues/4124",
  },
  {
    from: "zhipu",
    status: 400,
    says: /Request (?<requested>\d+) input tokens exceeds the model's maximum context length (?<limit>\d+)/u,
    example: "Request 182387 input tokens exceeds the model's maximum context length 202750",
    source: "https://github.com/foreveryh/claude-code-switch/issues/12",
  },
  {
    // The number in parentheses is the code of the error.
    from: "minimax",
    status: undefined,
    says: /context window exceeds limit/iu,
    example: "invalid params, context window exceeds limit (2013)",
    source: "https://github.com/MiniMax-AI/MiniMax-M2/issues/119",
  },
  {
    from: "xai",
    status: 400,
    says: /maximum prompt length is (?<limit>\d+) but the request contains (?<requested>\d+)/u,
    example: "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
    source: "https://github.com/cline/cline/issues/3120",
  },
  {
    from: "cohere",
    status: 400,
    says: /too many tokens: total number of tokens.{0,40} cannot exceed (?<limit>\d+) - received (?<requested>\d+)/u,
    example:
      "too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try using a shorter prompt or a smaller max_tokens value.",
    source: "https://github.com/cohere-ai/sandbox-topically/issues/4",
  },
  {
    from: "vllm, gateways",
    status: 400,
    says: /maximum context length(?: is (?<limit>[\d,]+) tokens)?|max_model_len|maximum model length/iu,
    example: "This model's maximum context length is 4096 tokens.",
    source: "https://github.com/vllm-project/vllm/pull/22803",
  },
];

/** A limit per minute. Groq reports it with status 413. */
const aboutRate = /rate.?limit|tokens per min|\bTPM\b/iu;

function sizesIn({ limit, requested, reserved }: Readonly<Record<string, string | undefined>>): ContextOverflow {
  return {
    ...(limit !== undefined && { limit: numberOf(limit) }),
    ...(requested !== undefined && { requested: numberOf(requested) + numberOf(reserved ?? "0") }),
  };
}

/** The sizes in the data of an `UndangleError`. */
function sizesOf(data: unknown): ContextOverflow {
  const { limit, requested } = isRecord(data) ? data : {};
  return { ...(typeof limit === "number" && { limit }), ...(typeof requested === "number" && { requested }) };
}

const numberOf = (digits: string): number => Number(digits.replaceAll(",", ""));

/** The keys of errors and error bodies that speak about the error. Others may contain the conversation. */
const errorKeys = [
  "message",
  "msg",
  "status_msg",
  "error_msg",
  "code",
  "type",
  "reason",
  "n_prompt_tokens",
  "n_ctx",
  "error",
  "errors",
  "detail",
  "base_resp",
  "metadata",
  "raw",
  "data",
  "body",
  "responseBody",
  "lastError",
  "cause",
];

/** A longer text repeats the request, which may contain any words. */
const longest = 1000;

/** The words of an error: its texts, and its codes as `code=…`. */
function wordsIn(error: unknown): readonly string[] {
  const words: string[] = [];
  const seen = new Set<unknown>(); // errors may refer to themselves
  const read = (value: unknown, key: string | undefined): void => {
    if (typeof value === "number" && key !== undefined) words.push(`${key}=${value}`);
    if (typeof value === "string") {
      const body = parseJson(value);
      if (typeof body === "object") read(body, undefined);
      else words.push(`${key === undefined || key === "message" ? "" : `${key}=`}${value.slice(0, longest)}`);
    }
    if (typeof value !== "object" || value === null || seen.has(value) || seen.size > mostObjects) return;
    seen.add(value);
    if (Array.isArray(value)) for (const each of value.slice(0, mostObjects)) read(each, undefined);
    if (isRecord(value)) for (const each of errorKeys) read(value[each], each);
  };
  read(error, undefined);
  return words;
}

/** The number of nested errors, bodies and lists that are read. */
const mostObjects = 50;

function statusIn(error: unknown): unknown {
  return isRecord(error) ? (error["status"] ?? error["statusCode"]) : undefined;
}
