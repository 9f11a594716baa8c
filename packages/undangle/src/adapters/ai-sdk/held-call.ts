import { inputText, isMadeBySdk, saySame } from "#codecs";
import { isObjectText } from "#core";
import type { AssembledCall, Slot } from "#core";

type Wire = Readonly<Record<string, unknown>>;

/** One call of a turn, which is held until the turn is over. */
export interface HeldCall {
  readonly name: string;
  /** The id as it came; "" for none. */
  readonly given: string;
  /** The id that it gets; undefined while it may be another call of its id, or that one again. */
  id: string | undefined;
  /** The part that has the whole call. */
  call: Wire | undefined;
  /** The end of its input has come. */
  hasInputEnd: boolean;
  isCopy: boolean;
  readonly slot: Slot;
}

export const textIn = ({ slot }: HeldCall): string => slot.fragments.join("");

/** True for no input, and for an empty object. */
export const isEmpty = (call: HeldCall): boolean => /^\s*(?:\{\s*\}\s*)?$/u.test(textIn(call));

/** True when an empty object stands before the input. */
export const hasPlaceholder = (call: HeldCall): boolean => /^\s*\{\s*\}\s*\S/u.test(textIn(call));

/** True when a later call may be an earlier one again: it has the same id, or the SDK made one up because that was in use. */
export const mayBe = (earlier: HeldCall, { name, given }: HeldCall): boolean =>
  earlier.given === given ||
  (earlier.given !== "" && earlier.name === name && isMadeBySdk(given) && !isMadeBySdk(earlier.given));

/** True for two calls that say the same. */
export const isSame = (one: HeldCall, other: HeldCall): boolean =>
  one.call !== undefined && other.call !== undefined && one.name === other.name && saySame(textIn(one), textIn(other));

/** True for an input that is the call's, as far as the two of them tell; one of which nothing came says nothing against it. */
export const isInputOf = (input: HeldCall, call: HeldCall, { mayBeBlank }: { readonly mayBeBlank: boolean }): boolean =>
  input.name === call.name && (mayBeBlank ? textIn(input).trim() === "" : saySame(textIn(input), textIn(call)));

/** A part of a call as it passes in the end; the same reference when nothing was wrong with it. */
export function mend(part: Wire, { id = "", call, name, slot }: HeldCall, result: AssembledCall): Wire {
  const named = withIdentity(part, id, name);
  if (part !== call || slot.isFreeText) return named;
  const { input } = part;
  const isOdd = [...slot.seen].some((kind) => kind.startsWith("arguments-"));
  const text = inputText(result.arguments ?? input);
  const isKept =
    !isOdd || result.arguments === null || (isObjectText(inputText(input)) && saySame(inputText(input), text));
  return typeof input === "string" && isKept ? named : { ...named, input: text };
}

/** The parts that did not come of a call whose input has come. */
export function missingParts(
  { id = "", name, hasInputEnd }: HeldCall,
  result: AssembledCall | undefined,
): readonly Wire[] {
  if (result === undefined) return [];
  const input = result.arguments === null ? result.raw : inputText(result.arguments);
  const call = { type: "tool-call", toolCallId: id, toolName: name, input };
  return hasInputEnd ? [call] : [{ type: "tool-input-end", id }, call];
}

/** The part with this id and, where it has one, this name; the same reference when it has them already. */
export function withIdentity(part: Wire, id: string, name: string): Wire {
  const key = "id" in part ? "id" : "toolCallId";
  const named = "toolName" in part && name !== "" && part["toolName"] !== name ? { ...part, toolName: name } : part;
  return named[key] === id ? named : { ...named, [key]: id };
}
