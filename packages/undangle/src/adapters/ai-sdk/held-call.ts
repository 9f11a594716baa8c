import { inputText, isMadeBySdk, saySame } from "#codecs";
import { isObjectText } from "#core";
import type { AssembledCall, Slot } from "#core";

type Wire = Readonly<Record<string, unknown>>;

/** A call of a turn, which is held until the turn ends. */
export interface HeldCall {
  readonly name: string;
  /** The original id; "" for none. */
  readonly given: string;
  /** The final id; undefined while the call may repeat another call with its id. */
  id: string | undefined;
  /** The part with the complete call. */
  call: Wire | undefined;
  /** True if the end of its input has arrived. */
  hasInputEnd: boolean;
  isCopy: boolean;
  readonly slot: Slot;
}

export const textIn = ({ slot }: HeldCall): string => slot.fragments.join("");

/** True for no input or an empty object. */
export const isEmpty = (call: HeldCall): boolean => /^\s*(?:\{\s*\}\s*)?$/u.test(textIn(call));

/** True if an empty object precedes the input. */
export const hasPlaceholder = (call: HeldCall): boolean => /^\s*\{\s*\}\s*\S/u.test(textIn(call));

/**
 * True if a later call may repeat an earlier one: it has the same id, or the SDK generated one because the id was in
 * use.
 */
export const mayBe = (earlier: HeldCall, { name, given }: HeldCall): boolean =>
  earlier.given === given ||
  (earlier.given !== "" && earlier.name === name && isMadeBySdk(given) && !isMadeBySdk(earlier.given));

/** True for two identical calls. */
export const isSame = (one: HeldCall, other: HeldCall): boolean =>
  one.call !== undefined && other.call !== undefined && one.name === other.name && saySame(textIn(one), textIn(other));

/** True if an input may belong to the call. An input without content does not contradict it. */
export const isInputOf = (input: HeldCall, call: HeldCall, { mayBeBlank }: { readonly mayBeBlank: boolean }): boolean =>
  input.name === call.name && (mayBeBlank ? textIn(input).trim() === "" : saySame(textIn(input), textIn(call)));

/** A part of a call in its final form; the same reference if nothing was wrong. */
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

/** The missing parts of a call whose input has arrived. */
export function missingParts(
  { id = "", name, hasInputEnd }: HeldCall,
  result: AssembledCall | undefined,
): readonly Wire[] {
  if (result === undefined) return [];
  const input = result.arguments === null ? result.raw : inputText(result.arguments);
  const call = { type: "tool-call", toolCallId: id, toolName: name, input };
  return hasInputEnd ? [call] : [{ type: "tool-input-end", id }, call];
}

/** The part with this id and name; the same reference if it already has them. */
export function withIdentity(part: Wire, id: string, name: string): Wire {
  const key = "id" in part ? "id" : "toolCallId";
  const named = "toolName" in part && name !== "" && part["toolName"] !== name ? { ...part, toolName: name } : part;
  return named[key] === id ? named : { ...named, [key]: id };
}
