import type { Profile } from "#core";

/** What the AI SDK wants of ids, names and arguments; what a model behind it wants besides is its provider's affair. */
export const aiSdkProfile: Profile = {
  ids: { pattern: undefined, longest: Infinity, scope: "turn", mint: "call" },
  names: { pattern: /^[^]+$/, longest: Infinity },
  arguments: "object",
  argumentsAreParsed: false,
  blankArgumentsAccepted: false,
};
