import { damageOf, isRecord, wrapRaw } from "#core";

/** What is wrong with the input of a call, and what it becomes. */
export interface MendedInput {
  readonly value: unknown;
  /** The text as it came, where it had to be wrapped. */
  readonly raw: string | undefined;
  readonly message: string;
}

/**
 * The input of a call as an object; undefined when it may stay as it is. Text that is not a JSON object by its looks belongs
 * to a tool that takes free text, and stays.
 */
export function mendInput(input: unknown): MendedInput | undefined {
  if (isRecord(input) || isFreeText(input)) return undefined;
  const isMissing = input === undefined || input === null || (typeof input === "string" && input.trim() === "");
  const text = typeof input === "string" ? input : (JSON.stringify(input) ?? "");
  const isDamaged = !isMissing && damageOf(text) !== undefined;
  const value: unknown = isMissing ? {} : isDamaged ? wrapRaw(text) : JSON.parse(text);
  const got = isMissing ? "missing" : Array.isArray(input) ? "an array" : `of type ${typeof input}`;
  return {
    value,
    raw: isDamaged && typeof input === "string" ? input : undefined,
    message: `The input is ${got}, not an object.`,
  };
}

function isFreeText(input: unknown): boolean {
  if (typeof input !== "string") return false;
  const first = input.trimStart().charAt(0);
  return first !== "" && first !== "{";
}
