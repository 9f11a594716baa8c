import type { Profile } from "#core";

/** What Ollama wants of ids, names and arguments: most histories have no ids, and a call is told by its name and place. */
export const ollamaProfile: Profile = {
  ids: { pattern: undefined, longest: Infinity, scope: "turn", mint: "call", optional: true },
  names: { pattern: /^[^]+$/, longest: Infinity },
  arguments: "object",
  argumentsAreParsed: false,
  blankArgumentsAccepted: false,
};
