import type { Profile } from "#core";

/** Names that at least one model accepts. All models refuse other names. */
const names = { pattern: /^[\w.:/-]+$/, longest: 128 };

/** The requirements of the rules and of LangChain's clients. */
export interface LangchainProfile extends Profile {
  /** True if calls that are only in `additional_kwargs` are never sent. */
  readonly sentCallsIgnored: boolean;
  /** Content block types of calls that are refused, because at least one client forwards them. */
  readonly refusedBlocks: ReadonlySet<unknown>;
}

/** Requirements that apply to every model. */
const anyModel: LangchainProfile = {
  ids: { pattern: undefined, longest: Infinity, scope: "turn", mint: "call" },
  names,
  arguments: "object",
  argumentsAreParsed: false,
  blankArgumentsAccepted: false,
  sentCallsIgnored: false,
  refusedBlocks: new Set(),
};

/** Chat Completions clients remove only `tool_use` and `tool_call`. */
const foreignBlocks = ["function_call", "custom_tool_call", "invalid_tool_call"];

/** All models except those below. They include Google's models, which require the signatures in their blocks. */
const otherModel: LangchainProfile = { ...anyModel, refusedBlocks: new Set(foreignBlocks) };

/** Anthropic, directly or through another cloud: ids are unique in a request. */
const claude: LangchainProfile = {
  ...anyModel,
  ids: { pattern: /^[a-zA-Z0-9_-]+$/, longest: 64, scope: "request", mint: "call" },
  sentCallsIgnored: true,
};

const openai: LangchainProfile = {
  ...anyModel,
  ids: { ...anyModel.ids, longest: 40 },
  names: { pattern: /^[a-zA-Z0-9_-]+$/, longest: 64 },
  refusedBlocks: new Set([...foreignBlocks, "functionCall"]),
};

/** OpenAI's Responses API finds a call by its id in the whole request. Its client forwards no other blocks. */
const responses: LangchainProfile = {
  ...openai,
  ids: { ...anyModel.ids, longest: 64, scope: "request" },
  refusedBlocks: new Set(),
};

/** The requirements of a model for calls and results. For an unknown model, only those of every model. */
export function langchainProfile(model: string | undefined): LangchainProfile {
  if (model === undefined) return anyModel;
  if (/\.responses\//i.test(model)) return responses;
  if (/claude/i.test(model)) return claude;
  return /^(?:openai[/:])?(?:gpt-|chatgpt-|o\d)/i.test(model) ? openai : otherModel;
}
