/** The properties of a Gemini model by name; undefined if unknown. */
export interface Model {
  /** True if the first call of every step in the current turn requires a thought signature. */
  readonly needsSignatures: boolean;
  /** True if it refuses text after function responses in one turn. */
  readonly refusesMixedTurns: boolean;
  /** True if it refuses a final model turn, and the roles `function` and `tool`. */
  readonly endsWithUser: boolean;
  /** True if it refuses media inside a function response, as models before Gemini 3 do. */
  readonly refusesResultMedia: boolean;
}

/** Parses the version from a model name. */
export function modelOf(name: string | undefined): Model {
  const found = /gemini-(\d+)(?:\.(\d+))?(-flash)?/.exec(name ?? "");
  const version = found === null ? 0 : Number(found[1]) * 100 + Number(found[2] ?? 0);
  return {
    needsSignatures: version >= 300,
    refusesMixedTurns: version > 300 || (version === 300 && found?.[3] !== undefined),
    endsWithUser: version >= 305,
    refusesResultMedia: version > 0 && version < 300,
  };
}
