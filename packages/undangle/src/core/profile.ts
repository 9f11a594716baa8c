/** The requirements of a provider for calls and results, as data for the pairing rules. */
export interface Profile {
  readonly ids: IdProfile;
  readonly names: NameProfile;
  /** `text`: a string; `object`: an object; `text-or-object`: either. */
  readonly arguments: "text" | "text-or-object" | "object";
  /** True if the provider parses the argument text, which must be a JSON object. */
  readonly argumentsAreParsed: boolean;
  /** True if blank argument text counts as `{}`. */
  readonly blankArgumentsAccepted: boolean;
}

export interface IdProfile {
  readonly pattern: RegExp | undefined;
  readonly longest: number;
  /** The scope in which an id must be unique: a turn, or the request. */
  readonly scope: "turn" | "request";
  /** The shape of generated ids. */
  readonly mint: "call" | "nine";
  /**
   * True if ids may be absent. Calls and results are then paired by name and order. If both sides have ids, they must
   * be equal.
   */
  readonly optional?: boolean;
}

export interface NameProfile {
  readonly pattern: RegExp;
  /** The allowed first characters, if they are more restricted. */
  readonly first?: RegExp;
  readonly longest: number;
}

export function acceptsId(id: string, { pattern, longest, optional = false }: IdProfile): boolean {
  if (id === "") return optional;
  return isWithin(id, longest) && (pattern === undefined || pattern.test(id));
}

export function acceptsName(name: string, { pattern, first, longest }: NameProfile): boolean {
  return name !== "" && isWithin(name, longest) && pattern.test(name) && first?.test(name) !== false;
}

/** Providers count code points, not UTF-16 units. */
function isWithin(text: string, longest: number): boolean {
  if (text.length <= longest) return true;
  return text.length <= 2 * longest && Array.from(text).length <= longest;
}
