import type { ReasoningEffort } from "../http-model-options.ts";
import type { ChatAbilities } from "./chat-fields.ts";
import { effortBudget, effortWord } from "./effort.ts";
import { openaiEffort } from "./openai-effort.ts";
import type { Fields, Forcing, Provider } from "./provider.ts";

/** A server of the chat format that is known by its name: only what it does otherwise than OpenAI. */
export interface Preset extends ChatAbilities {
  /** Whose rules it keeps, where it has none under its own name. */
  readonly profile?: string;
  /** Undefined where only its user knows. */
  readonly baseURL?: string;
  readonly baseVariables: readonly string[];
  readonly keyVariables: readonly string[];
  readonly needsKey?: boolean;
  /** How it is told to think. */
  readonly thinking?: (effort: ReasoningEffort, id: string) => Fields;
  readonly forcing?: Provider["forcing"];
  readonly thinksAloud?: boolean;
  /** What every request says. */
  readonly fields?: Fields;
}

const isOn = (effort: ReasoningEffort): boolean => effort !== "none";

/** On or off, as several say it. */
const switched = (effort: ReasoningEffort) => ({ thinking: { type: isOn(effort) ? "enabled" : "disabled" } });

const worded = (effort: ReasoningEffort) => ({ reasoning_effort: effortWord(effort) });

/** For models whose chat template asks. */
const templated = (effort: ReasoningEffort) => ({ chat_template_kwargs: { enable_thinking: isOn(effort) } });

/** Kimi can be told not to think from K2.5 on, until those came that always do; what was there before K2.5 is asked as it is. */
function kimiForcing(id: string): Forcing | undefined {
  if (/thinking|kimi-k2\.[7-9]|kimi-k[3-9]|kimi-latest/iu.test(id)) return "never";
  return /kimi-k2\.[56]/iu.test(id) ? "thoughtless" : undefined;
}

/** Some of them always think, and refuse to hear of it; from K3 on they are told how hard. */
function kimiThinking(effort: ReasoningEffort, id: string): Fields {
  if (/kimi-k[3-9]/iu.test(id)) {
    const words = { none: "low", low: "low", medium: "high", high: "max" } as const;
    return { reasoning_effort: words[effortWord(effort)] };
  }
  return /thinking|kimi-k2\.[7-9]/iu.test(id) ? {} : switched(effort);
}

/** Qwen refuses to be forced while it thinks, which most do by themselves; some cannot do without. */
function qwenForcing(id: string): Forcing | undefined {
  if (/thinking|qwq|qvq|-r1/iu.test(id)) return "never";
  return /qwen-?[3-9]|qwen-(?:plus|turbo|flash|max-latest)|glm|deepseek|kimi/iu.test(id) ? "thoughtless" : undefined;
}

/** The providers and servers that are known by name: one row each. */
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
    fields: { reasoning_split: true }, // else its models think inside of what they say
    thinksAloud: true,
    forcing: () => "never", // only auto and none are known there
  },
  groq: {
    baseURL: "https://api.groq.com/openai/v1",
    baseVariables: ["GROQ_BASE_URL"],
    keyVariables: ["GROQ_API_KEY"],
    thinksAloud: true, // Qwen does, in a request without tools
    output: "alone",
    thinking: (effort, id) => {
      if (/qwen/iu.test(id)) return { reasoning_effort: isOn(effort) ? "default" : "none" };
      if (isOn(effort)) return worded(effort);
      return /gpt-oss/iu.test(id) ? { reasoning_effort: "low" } : {}; // the others do not think, and refuse to be told
    },
  },
  xai: {
    baseURL: "https://api.x.ai/v1",
    baseVariables: ["XAI_BASE_URL"],
    keyVariables: ["XAI_API_KEY"],
    output: "alone",
    // What most of its models refuse; they think as they do, or not at all.
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
  },
  azure: {
    baseVariables: ["AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_BASE_URL"],
    keyVariables: ["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
    output: "with-tools",
    thinking: (effort, id) => ({ reasoning_effort: openaiEffort(id, effort) }),
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
