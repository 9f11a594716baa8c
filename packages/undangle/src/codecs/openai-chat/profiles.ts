import type { ChatProfile } from "./profile.ts";

/** What the table asks about a request, beyond its provider. */
export interface Facts {
  readonly model: string | undefined;
  /** The request runs in thinking mode; undefined = cannot be told. */
  readonly thinking: boolean | undefined;
}

/** The profile of a provider of the chat format for one request. Left out, the provider is any: OpenAI's own rules. */
export function chatProfile(provider: string | undefined, facts: Facts): ChatProfile {
  const row = provider === undefined ? openai : chatProviders[provider as ChatProvider];
  return row(facts);
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
};

type Row = (facts: Facts) => ChatProfile;

const openai: Row = ({ model }) => ({
  ...compatible,
  ids: { ...compatible.ids, longest: 40 },
  argumentsAreParsed: false, // the type is a string, and what it holds is contested
  partTypesChecked: true,
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
  order: "mistral",
  callsFirstRefused: "alone",
  textWithCallRefused: model !== undefined && oldMistral.test(model),
  plainAssistantOnly: true,
  functionRoleRefused: true,
  developerRoleRefused: true,
});

/** Models whose tokenizer is v3 or older. */
const oldMistral =
  /open-mi[sx]tral|mi[sx]tral-(?:7b|8x7b|8x22b)|mistral-(?:tiny|small|medium|large|nemo)-(?:23\d\d|240\d)/i;

const deepseek: Row = ({ thinking, model }) => ({
  ...compatible,
  reasoningRequired: thinking ?? /reasoner|thinking/i.test(model ?? ""),
});

const moonshot: Row = ({ thinking, model }) => ({
  ...compatible,
  emptyAssistantRefused: true,
  excuses: ["partial", "reasoning_content"],
  reasoningRequired: thinking ?? /thinking/i.test(model ?? ""),
});

const groq: Row = ({ model }) => ({
  ...compatible,
  refusedProperties: [
    "reasoning_content",
    "reasoning_details",
    "annotations",
    ...(model === undefined || /gpt-oss|qwen-?3/i.test(model) ? [] : ["reasoning"]),
  ],
});

/** Models whose chat template wants user and assistant messages to alternate. */
const alternating = /gemma(?!-?[4-9])|mi[sx]tral|ministral|devstral|codestral|magistral|pixtral/i;

const vllm: Row = ({ model = "" }) => ({
  ...compatible,
  blankArgumentsAccepted: true,
  order: alternating.test(model) ? "alternate" : "free",
  systemFirst: alternating.test(model),
  functionRoleRefused: alternating.test(model),
  developerRoleRefused: alternating.test(model),
  parallelCallsRefused: /llama-?3[._-]?[12]/i.test(model),
});

/** Claude and Gemini, where a gateway has made chat messages of their formats: what is theirs shows through. */
const claude: ChatProfile = {
  ...compatible,
  ids: { ...compatible.ids, pattern: /^[a-zA-Z0-9_-]+$/, scope: "request" },
};
const gemini: ChatProfile = {
  ...compatible,
  names: { ...shortName, first: /^[a-zA-Z_]/ },
  callsFirstRefused: "behind-system",
};

/** Which upstream a gateway's model name leads to. */
const upstreams: readonly (readonly [prefix: string, row: Row])[] = [
  ["openai/", openai],
  ["anthropic/", () => claude],
  ["google/", () => gemini],
  ["mistralai/", mistral],
  ["deepseek/", deepseek],
  ["moonshotai/", moonshot],
  ["minimax/", () => chatProviders.minimax()],
  ["z-ai/", () => chatProviders.zhipu()],
  ["qwen/", () => compatible],
  ["x-ai/", () => chatProviders.xai()],
];

const openrouter: Row = (facts) => {
  const upstream = upstreams.find(([prefix]) => facts.model?.startsWith(prefix));
  if (upstream === undefined) return compatible;
  return { ...upstream[1](facts), reasoningRequired: false }; // reasoning has fields of its own there
};

/** One row per provider of the chat format: only what it adds to the rules that all share. */
const chatProviders = {
  openai,
  azure: (facts) => ({ ...openai(facts), contentKeyRequired: true }),
  mistral,
  deepseek,
  moonshot,
  minimax: () => ({ ...compatible, ids: { ...compatible.ids, scope: "request" }, systemFirst: true }),
  zhipu: () => ({ ...compatible, emptyAssistantRefused: true, userRequired: true }),
  dashscope: () => compatible,
  xai: () => ({ ...compatible, emptyAssistantRefused: true, emptyListRefused: true }),
  groq,
  openrouter,
  cohere: () => ({ ...compatible, userAfterResultRefused: true }),
  vllm,
  sglang: () => compatible,
  llamacpp: () => ({ ...compatible, contentKeyRequired: true, trailingAssistantsRefused: true }),
} as const satisfies Readonly<Record<string, Row>>;

export type ChatProvider = keyof typeof chatProviders;

export const chatProviderNames = Object.keys(chatProviders) as readonly ChatProvider[];
