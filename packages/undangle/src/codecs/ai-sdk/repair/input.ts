import { isRecord, staysText, wrapRaw } from "#core";

/** The problem of a call's input, and its replacement. */
export interface MendedInput {
  readonly value: unknown;
  /** The original text, if it was wrapped. */
  readonly raw: string | undefined;
  readonly message: string;
}

/**
 * Converts the input of a call to an object. Undefined if it stays unchanged, such as text that does not look like a
 * JSON object and belongs to a free text tool.
 */
export function mendInput(input: unknown): MendedInput | undefined {
  if (isRecord(input) || isFreeText(input)) return undefined;
  const isMissing = input === undefined || input === null || (typeof input === "string" && input.trim() === "");
  const text = typeof input === "string" ? input : (JSON.stringify(input) ?? "");
  const isDamaged = !isMissing && staysText(text);
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
