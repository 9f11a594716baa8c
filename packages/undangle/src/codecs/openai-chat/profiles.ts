import type { ChatProfile } from "./profile.ts";

/** Facts about a request, besides its provider. */
export interface Facts {
  readonly model: string | undefined;
  /** Whether the request is in thinking mode; undefined if unknown. */
  readonly thinking: boolean | undefined;
}

/**
 * The profile of a provider of the chat format for one request. Without a provider, OpenAI's rules apply, except those
 * about media, which differ between servers.
 */
export function chatProfile(provider: string | undefined, facts: Facts): ChatProfile {
  if (provider === undefined) return { ...openai(facts), usualImagesOnly: false };
  return chatProviders[provider as ChatProvider](facts);
}

const shortName = { pattern: /^[a-zA-Z0-9_-]+$/, longest: 64 };

/** Rules that OpenAI and every compatible server share. */
const compatible: ChatProfile = {
  ids: { pattern: undefined, longest: Infinity, scope: "turn", mint: "call" },
  names: shortName,
  arguments: "text",
  argumentsAreParsed: true,
  blankArgumentsAccepted: false,
  callTypeRequired: true,
  contentKeyRequired: false,
  emptyAssistantRefused: false,
  emptySystemRefused: false,
  excuses: [],
  emptyListRefused: false,
  emptyCallsRefused: true,
  resultNamesChecked: false,
  refusedProperties: [],
  reasoningRequired: false,
  reasoningKeys: ["reasoning_content"],
  nullContentRefused: false,
  resultListsRefused: false,
  systemFirst: false,
  userRequired: false,
  userAfterResultRefused: false,
  order: "free",
  callsFirstRefused: undefined,
  trailingAssistantsRefused: false,
  textWithCallRefused: false,
  parallelCallsRefused: false,
  plainAssistantOnly: false,
  functionRoleRefused: false,
  developerRoleRefused: false,
  partTypesChecked: false,
  textOnly: false,
  files: "any",
  usualImagesOnly: false,
};

type Row = (facts: Facts) => ChatProfile;

const openai: Row = ({ model }) => ({
  ...compatible,
  ids: { ...compatible.ids, longest: 40 },
  argumentsAreParsed: false, // the type is a string; the valid content is disputed
  partTypesChecked: true,
  usualImagesOnly: true,
  functionRoleRefused:
    model !== undefined && /^(?:openai\/)?(?:o\d|gpt-(?:[5-9]|\d\d))/.test(model) && !/-chat/.test(model),
});

const mistral: Row = ({ model }) => ({
  ...compatible,
  ids: { pattern: /^[a-zA-Z0-9]{9}$/, longest: 9, scope: "turn", mint: "nine" },
  arguments: "text-or-object",
  argumentsAreParsed: false,
  callTypeRequired: false,
  emptyCallsRefused: false,
  resultNamesChecked: true,
  emptyAssistantRefused: true,
  emptySystemRefused: true,
  userAfterResultRefused: true, // by the hosted API; the open-source validator accepts it
  order: "mistral",
  callsFirstRefused: "alone",
  textWithCallRefused: model !== undefined && oldMistral.test(model),
  plainAssistantOnly: true,
  refusedProperties: [
    "reasoning_content",
    "reasoning_details",
    "reasoning",
    "annotations",
    "refusal",
    "audio",
    "function_call",
  ],
  functionRoleRefused: true,
  developerRoleRefused: true,
  files: "documents",
});

/** Models whose tokenizer is v3 or older. */
const oldMistral =
  /open-mi[sx]tral|mi[sx]tral-(?:7b|8x7b|8x22b)|mistral-(?:tiny|small|medium|large|nemo)-(?:23\d\d|240\d)/i;

/** True for a model that is known to refuse media. Unknown models receive them. */
const isBlind = (models: RegExp, model: string | undefined): boolean => model !== undefined && models.test(model);

const deepseek: Row = ({ thinking, model }) => ({
  ...compatible,
  functionRoleRefused: true,
  developerRoleRefused: true,
  textOnly: isBlind(/deepseek-(?:chat|reasoner|coder|r1|v[23]|v4-pro)/i, model),
  files: "uploads",
  reasoningRequired: thinking ?? /reasoner|thinking|deepseek-v[4-9]/i.test(model ?? ""), // later models think by default
});

const moonshot: Row = ({ thinking, model }) => ({
  ...compatible,
  developerRoleRefused: true,
  textOnly: isBlind(/kimi-k2(?!\.)|moonshot-v1-(?:8k|32k|128k|auto)$/i, model),
  files: "none",
  emptyAssistantRefused: true,
  excuses: ["partial", "reasoning_content"],
  reasoningRequired: thinking ?? /thinking|kimi-k2[.-][5-9](?!\d)|kimi-k[3-9]/i.test(model ?? ""), // the same
});

/** Models that think by default. */
const thinkingMimo = /mimo-v(?:2\.\d|2-(?:pro|omni)|[3-9])/i;

const mimo: Row = ({ thinking, model }) => ({
  ...compatible,
  nullContentRefused: true,
  resultListsRefused: true,
  reasoningRequired: thinking ?? thinkingMimo.test(model ?? ""),
});

const groq: Row = ({ model }) => ({
  ...compatible,
  textOnly: isBlind(/gpt-oss|llama-?3(?!.*vision)|qwen3?-|kimi-k2(?!\.)|deepseek-r1/i, model),
  files: "none",
  refusedProperties: [
    "reasoning_content",
    "reasoning_details",
    "annotations",
    ...(model === undefined || /gpt-oss|qwen-?3/i.test(model) ? [] : ["reasoning"]),
  ],
});

const minimax: Row = ({ model }) => ({
  ...compatible,
  ids: { ...compatible.ids, scope: "request" },
  systemFirst: true,
  textOnly: isBlind(/minimax-m[12]/i, model),
  files: "none",
});

const zhipu: Row = ({ model }) => ({
  ...compatible,
  developerRoleRefused: true,
  emptyAssistantRefused: true,
  userRequired: true,
  textOnly: isBlind(/glm-(?!5\.3-flash)(?:z1|4(?:\.[5-7])?|5(?:\.[1-3])?)(?![\dv.])/i, model),
  files: "none",
});

/** Qwen accepts images from 3.8 on in its largest model, and in models with vision in their name. */
const blindAtDashscope =
  /qwen(?:3(?:\.[5-7])?)?-max|qwen-turbo|qwen[\d.]*-coder|qwen3-\d|qwq|deepseek-(?:r1|v3)|glm-(?!5\.3-flash)[45](?:\.\d)?(?![\dv.])|kimi-k2(?!\.)/i;

const dashscope: Row = ({ model }) => ({ ...compatible, textOnly: isBlind(blindAtDashscope, model), files: "none" });

const xai: Row = () => ({ ...compatible, emptyAssistantRefused: true, emptyListRefused: true, files: "uploads" });

/** Models whose chat template requires user and assistant messages to alternate. */
const alternating = /gemma(?!-?[4-9])|mi[sx]tral|ministral|devstral|codestral|magistral|pixtral/i;

const vllm: Row = ({ model = "" }) => ({
  ...compatible,
  files: "none",
  blankArgumentsAccepted: true,
  order: alternating.test(model) ? "alternate" : "free",
  systemFirst: alternating.test(model),
  functionRoleRefused: alternating.test(model),
  developerRoleRefused: alternating.test(model),
  parallelCallsRefused: /llama-?3[._-]?[12]/i.test(model),
});

/** Claude and Gemini through a gateway with chat messages. The restrictions of their own formats still apply. */
const claude: ChatProfile = {
  ...compatible,
  ids: { ...compatible.ids, pattern: /^[a-zA-Z0-9_-]+$/, scope: "request" },
};
const gemini: ChatProfile = {
  ...compatible,
  names: { ...shortName, first: /^[a-zA-Z_]/ },
  callsFirstRefused: "behind-system",
};

/** The upstream provider of a gateway's model name. */
const upstreams: readonly (readonly [prefix: string, row: Row])[] = [
  ["openai/", openai],
  ["anthropic/", () => claude],
  ["google/", () => gemini],
  ["mistralai/", mistral],
  ["deepseek/", deepseek],
  ["moonshotai/", moonshot],
  ["minimax/", minimax],
  ["z-ai/", zhipu],
  ["qwen/", dashscope],
  ["x-ai/", xai],
  ["xiaomi/", mimo],
];

const openrouterKeys = ["reasoning_content", "reasoning", "reasoning_details"] as const;

const openrouter: Row = (facts) => {
  const upstream = upstreams.find(([prefix]) => facts.model?.startsWith(prefix));
  if (upstream === undefined) return compatible;
  // OpenRouter has its own reasoning fields, and parses files itself.
  return { ...upstream[1](facts), reasoningKeys: openrouterKeys, refusedProperties: [], files: "any" };
};

/** One row per provider of the chat format, with the differences from the shared rules. */
const chatProviders = {
  openai,
  azure: (facts) => ({ ...openai(facts), contentKeyRequired: true }),
  mistral,
  deepseek,
  moonshot,
  minimax,
  zhipu,
  dashscope,
  xai,
  mimo,
  groq,
  openrouter,
  cohere: () => ({ ...compatible, userAfterResultRefused: true }),
  vllm,
  sglang: () => ({ ...compatible, files: "none" }),
  llamacpp: () => ({ ...compatible, contentKeyRequired: true, trailingAssistantsRefused: true, files: "none" }),
} as const satisfies Readonly<Record<string, Row>>;

export type ChatProvider = keyof typeof chatProviders;

export const chatProviderNames = Object.keys(chatProviders) as readonly ChatProvider[];
