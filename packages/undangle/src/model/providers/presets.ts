import type { ReasoningEffort } from "../http-model-options.ts";
import type { ChatAbilities } from "./chat-fields.ts";
import { effortBudget, effortWord } from "./effort.ts";
import { openaiEffort } from "./openai-effort.ts";
import { promptCacheKey } from "./prompt-cache-key.ts";
import type { Fields, Forcing, Provider } from "./provider.ts";

/** A known server of the chat format: only its differences from OpenAI. */
export interface Preset extends ChatAbilities {
  /** The profile whose rules it follows, if it has none of its own. */
  readonly profile?: string;
  /** Undefined if only the user knows it. */
  readonly baseURL?: string;
  readonly baseVariables: readonly string[];
  readonly keyVariables: readonly string[];
  readonly needsKey?: boolean;
  /** How thinking is configured. */
  readonly thinking?: (effort: ReasoningEffort, id: string) => Fields;
  readonly forcing?: Provider["forcing"];
  readonly thinksAloud?: boolean;
  readonly cache?: Provider["cache"];
  /** Fields of every request. */
  readonly fields?: Fields;
}

const isOn = (effort: ReasoningEffort): boolean => effort !== "none";

/** The on/off switch of several providers. */
const switched = (effort: ReasoningEffort) => ({ thinking: { type: isOn(effort) ? "enabled" : "disabled" } });

const worded = (effort: ReasoningEffort) => ({ reasoning_effort: effortWord(effort) });

/** For models whose chat template has a switch. */
const templated = (effort: ReasoningEffort) => ({ chat_template_kwargs: { enable_thinking: isOn(effort) } });

/** Kimi supports disabling thinking from K2.5 on, until the models that always think. Earlier models need nothing. */
function kimiForcing(id: string): Forcing | undefined {
  if (/thinking|kimi-k2\.[7-9]|kimi-k[3-9]|kimi-latest/iu.test(id)) return "never";
  return /kimi-k2\.[56]/iu.test(id) ? "thoughtless" : undefined;
}

/** Some models always think and refuse the field; K3 and later have an effort. */
function kimiThinking(effort: ReasoningEffort, id: string): Fields {
  if (/kimi-k[3-9]/iu.test(id)) {
    const words = { none: "low", low: "low", medium: "high", high: "max" } as const;
    return { reasoning_effort: words[effortWord(effort)] };
  }
  return /thinking|kimi-k2\.[7-9]/iu.test(id) ? {} : switched(effort);
}

/** Qwen refuses a forced call while it thinks, which is the default; some models always think. */
function qwenForcing(id: string): Forcing | undefined {
  if (/thinking|qwq|qvq|-r1/iu.test(id)) return "never";
  return /qwen-?[3-9]|qwen-(?:plus|turbo|flash|max-latest)|glm|deepseek|kimi/iu.test(id) ? "thoughtless" : undefined;
}

/** The known providers and servers, one row each. */
export const presets = {
  deepseek: {
    baseURL: "https://api.deepseek.com/v1",
    baseVariables: ["DEEPSEEK_BASE_URL"],
    keyVariables: ["DEEPSEEK_API_KEY"],
    thinking: switched,
    forcing: () => "thoughtless",
  },
  moonshot: {
    baseURL: "https://api.moonshot.ai/v1",
    baseVariables: ["MOONSHOT_BASE_URL"],
    keyVariables: ["MOONSHOT_API_KEY", "KIMI_API_KEY"],
    thinking: kimiThinking,
    forcing: kimiForcing,
  },
  zhipu: {
    baseURL: "https://open.bigmodel.cn/api/paas/v4",
    baseVariables: ["ZHIPU_BASE_URL", "ZAI_BASE_URL"],
    keyVariables: ["ZHIPU_API_KEY", "ZAI_API_KEY", "ZHIPUAI_API_KEY"],
    thinking: switched,
    forcing: () => "never", // "Tool choice must be auto"
  },
  dashscope: {
    baseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    baseVariables: ["DASHSCOPE_BASE_URL"],
    keyVariables: ["DASHSCOPE_API_KEY"],
    thinking: (effort) => ({
      enable_thinking: isOn(effort),
      ...(isOn(effort) && { thinking_budget: effortBudget(effort) }),
    }),
    forcing: qwenForcing,
  },
  minimax: {
    baseURL: "https://api.minimax.io/v1",
    baseVariables: ["MINIMAX_BASE_URL"],
    keyVariables: ["MINIMAX_API_KEY"],
    fields: { reasoning_split: true }, // otherwise its models think inside their text
    thinksAloud: true,
    forcing: () => "never", // only auto and none are supported
  },
  groq: {
    baseURL: "https://api.groq.com/openai/v1",
    baseVariables: ["GROQ_BASE_URL"],
    keyVariables: ["GROQ_API_KEY"],
    thinksAloud: true, // Qwen does, without tools
    output: "alone",
    thinking: (effort, id) => {
      if (/qwen/iu.test(id)) return { reasoning_effort: isOn(effort) ? "default" : "none" };
      if (isOn(effort)) return worded(effort);
      return /gpt-oss/iu.test(id) ? { reasoning_effort: "low" } : {}; // the others do not reason, and refuse the field
    },
  },
  xai: {
    baseURL: "https://api.x.ai/v1",
    baseVariables: ["XAI_BASE_URL"],
    keyVariables: ["XAI_API_KEY"],
    output: "alone",
    // Most of its models refuse it.
    thinking: (effort, id) =>
      isOn(effort) || /mini/iu.test(id) ? { reasoning_effort: effortWord(effort) === "high" ? "high" : "low" } : {},
  },
  openrouter: {
    baseURL: "https://openrouter.ai/api/v1",
    baseVariables: ["OPENROUTER_BASE_URL"],
    keyVariables: ["OPENROUTER_API_KEY"],
    output: "alone",
    thinking: (effort) => ({
      reasoning: isOn(effort) ? (typeof effort === "number" ? { max_tokens: effort } : { effort }) : { enabled: false },
    }),
    // One field for Claude: the last block is marked, and the mark moves. Other models need none.
    cache: {
      isFor: (id) => /claude/iu.test(id),
      write: (body, { ttl }) => ({ cache_control: { type: "ephemeral", ...(ttl === "1h" && { ttl }) }, ...body }),
    },
  },
  azure: {
    baseVariables: ["AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_BASE_URL"],
    keyVariables: ["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
    output: "with-tools",
    thinking: (effort, id) => ({ reasoning_effort: openaiEffort(id, effort) }),
    cache: promptCacheKey, // its models of other companies refuse it, which is remembered
  },
  vllm: {
    baseURL: "http://127.0.0.1:8000/v1",
    baseVariables: ["VLLM_BASE_URL"],
    keyVariables: ["VLLM_API_KEY"],
    needsKey: false,
    thinksAloud: true,
    output: "alone",
    thinking: templated,
  },
  llamacpp: {
    baseURL: "http://127.0.0.1:8080/v1",
    baseVariables: ["LLAMACPP_BASE_URL"],
    keyVariables: ["LLAMACPP_API_KEY", "LLAMA_API_KEY"],
    needsKey: false,
    thinksAloud: true,
    output: "alone",
    thinking: templated,
  },
  lmstudio: {
    profile: "llamacpp",
    baseURL: "http://127.0.0.1:1234/v1",
    baseVariables: ["LMSTUDIO_BASE_URL"],
    keyVariables: ["LMSTUDIO_API_KEY"],
    needsKey: false,
    thinksAloud: true,
    output: "alone",
    thinking: worded,
  },
} as const satisfies Readonly<Record<string, Preset>>;

export type PresetName = keyof typeof presets;

export const presetNames: readonly string[] = Object.keys(presets);
