/** What one provider wants of calls and results: the data that the pairing rules ask. */
export interface Profile {
  readonly ids: IdProfile;
  readonly names: NameProfile;
  /** `text`: a string; `text-or-object`: both; `object`: an object. */
  readonly arguments: "text" | "text-or-object" | "object";
  /** The text of the arguments is parsed by the provider and must be a JSON object. */
  readonly argumentsAreParsed: boolean;
  /** Blank argument text is read as `{}`. */
  readonly blankArgumentsAccepted: boolean;
}

export interface IdProfile {
  readonly pattern: RegExp | undefined;
  readonly longest: number;
  /** Where an id must be unique: among the calls of one turn, or in the whole request. */
  readonly scope: "turn" | "request";
  /** The shape of ids that we mint. */
  readonly mint: "call" | "nine";
  /** Calls and results may do without: they are then paired by name and order. Where both sides carry ids, these agree. */
  readonly optional?: boolean;
}

export interface NameProfile {
  readonly pattern: RegExp;
  /** What a name may begin with, where that is less than what it may hold. */
  readonly first?: RegExp;
  readonly longest: number;
}

/** True when the id is one that the provider takes. */
export function acceptsId(id: string, { pattern, longest, optional = false }: IdProfile): boolean {
  if (id === "") return optional;
  return isWithin(id, longest) && (pattern === undefined || pattern.test(id));
}

/** True when the name is one that the provider takes. */
export function acceptsName(name: string, { pattern, first, longest }: NameProfile): boolean {
  return name !== "" && isWithin(name, longest) && pattern.test(name) && first?.test(name) !== false;
}

/** Providers count characters, not the two halves of those beyond the basic plane. */
function isWithin(text: string, longest: number): boolean {
  if (text.length <= longest) return true;
  return text.length <= 2 * longest && Array.from(text).length <= longest;
}
