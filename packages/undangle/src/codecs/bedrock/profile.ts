import type { Profile } from "#core";

/** What Converse wants of ids, names and arguments; the rest of its rules concern blocks and turns. */
export const bedrockProfile: Profile = {
  ids: { pattern: /^[a-zA-Z0-9_.:-]+$/, longest: 64, scope: "turn", mint: "call" },
  names: { pattern: /^[a-zA-Z0-9_-]+$/, longest: 64 },
  arguments: "object",
  argumentsAreParsed: false,
  blankArgumentsAccepted: false,
};
