import type { Profile } from "#core";

/** Names that some model takes: what is outside of it is refused by all of them. */
const names = { pattern: /^[\w.:/-]+$/, longest: 128 };

/** What the rules ask, and what they ask about LangChain's clients. */
export interface LangchainProfile extends Profile {
  /** True if calls that are only in `additional_kwargs` are never sent. */
  readonly sentCallsIgnored: boolean;
  /** The types of blocks that show a call in the content and are refused there, since some client sends them on. */
  readonly refusedBlocks: ReadonlySet<unknown>;
}

/** What holds whichever model the history goes to. */
const anyModel: LangchainProfile = {
  ids: { pattern: undefined, longest: Infinity, scope: "turn", mint: "call" },
  names,
  arguments: "object",
  argumentsAreParsed: false,
  blankArgumentsAccepted: false,
  sentCallsIgnored: false,
  refusedBlocks: new Set(),
};

/** Clients for Chat Completions leave out `tool_use` and `tool_call` only. */
const foreignBlocks = ["function_call", "custom_tool_call", "invalid_tool_call"];

/** Any but those below; Google's models are among them, and want the signatures back that their own blocks hold. */
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

/** OpenAI's Responses API finds a call by its id in the whole request. Its client sends no other blocks on. */
const responses: LangchainProfile = {
  ...openai,
  ids: { ...anyModel.ids, longest: 64, scope: "request" },
  refusedBlocks: new Set(),
};

/** What is wanted of calls and results by the model that a history goes to; unknown, only what every model wants. */
export function langchainProfile(model: string | undefined): LangchainProfile {
  if (model === undefined) return anyModel;
  if (/\.responses\//i.test(model)) return responses;
  if (/claude/i.test(model)) return claude;
  return /^(?:openai[/:])?(?:gpt-|chatgpt-|o\d)/i.test(model) ? openai : otherModel;
}
