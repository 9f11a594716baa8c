import type { Profile } from "#core";

/** Converse's requirements for ids, names and arguments. Its other rules apply to blocks and turns. */
export const bedrockProfile: Profile = {
  ids: { pattern: /^[a-zA-Z0-9_.:-]+$/, longest: 64, scope: "turn", mint: "call" },
  names: { pattern: /^[a-zA-Z0-9_-]+$/, longest: 64 },
  arguments: "object",
  argumentsAreParsed: false,
  blankArgumentsAccepted: false,
};
