import type { Profile } from "#core";

/** What Anthropic wants of ids, names and arguments; the rest of its rules concern blocks. */
export const anthropicProfile: Profile = {
  ids: { pattern: /^[a-zA-Z0-9_-]+$/, longest: Infinity, scope: "request", mint: "call" },
  names: { pattern: /^[^]+$/, longest: 200 },
  arguments: "object",
  argumentsAreParsed: false,
  blankArgumentsAccepted: false,
};
