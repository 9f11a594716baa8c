import type { Profile } from "#core";

/** Gemini's requirements for ids, names and arguments. Its other rules apply to parts and turns. */
export const geminiProfile: Profile = {
  ids: { pattern: undefined, longest: Infinity, scope: "turn", mint: "call", optional: true },
  names: { pattern: /^[A-Za-z0-9_.:-]+$/, first: /^[A-Za-z_]/, longest: 64 },
  arguments: "object",
  argumentsAreParsed: false,
  blankArgumentsAccepted: false,
};
