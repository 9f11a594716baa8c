import type { Profile } from "#core";

/**
 * Ollama's requirements for ids, names and arguments. Most histories have no ids; a call is identified by its name and
 * position.
 */
export const ollamaProfile: Profile = {
  ids: { pattern: undefined, longest: Infinity, scope: "turn", mint: "call", optional: true },
  names: { pattern: /^[^]+$/, longest: Infinity },
  arguments: "object",
  argumentsAreParsed: false,
  blankArgumentsAccepted: false,
};
