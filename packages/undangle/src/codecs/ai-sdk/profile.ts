import type { Profile } from "#core";

/** What the AI SDK wants of ids, names and arguments; what a model behind it wants besides is its provider's affair. */
const anyModel: Profile = {
  ids: { pattern: undefined, longest: Infinity, scope: "turn", mint: "call" },
  names: { pattern: /^[^]+$/, longest: Infinity },
  arguments: "object",
  argumentsAreParsed: false,
  blankArgumentsAccepted: false,
};

/** Models that find a call by its id in the whole request: the packages of the SDK send ids as they are. */
const keyedById: Profile = { ...anyModel, ids: { ...anyModel.ids, scope: "request" } };

const claude: Profile = { ...keyedById, ids: { ...keyedById.ids, pattern: /^[a-zA-Z0-9_-]+$/ } };

/** What is wanted of messages for a model, which may have the name of its provider before its own: `openai.responses/gpt-5.1`. */
export function aiSdkProfile(model = ""): Profile {
  if (/claude|anthropic/i.test(model)) return claude;
  return /\.responses\/|minimax/i.test(model) ? keyedById : anyModel;
}
