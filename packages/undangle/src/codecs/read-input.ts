import { isRecord, staysText, wrapRaw } from "#core";
import type { Journal, Spot } from "#core";

/**
 * "" for a missing or blank id, and for a number, which the API does not accept as an id. Such a call is paired by
 * position.
 */
export function readId(given: unknown): string {
  return typeof given === "string" && given.trim() !== "" ? given : "";
}

/** The input as an object. Text is parsed, or wrapped if it is not a JSON object. */
export function readInput(
  input: unknown,
  at: Spot,
  journal: Journal,
): { readonly value: unknown; readonly raw: string | undefined } {
  if (isRecord(input)) return { value: input, raw: undefined };
  const missing = input === undefined || input === null || (typeof input === "string" && input.trim() === "");
  const text = typeof input === "string" ? input : (JSON.stringify(input) ?? "");
  const damaged = !missing && staysText(text);
  const value: unknown = missing ? {} : damaged ? wrapRaw(text) : JSON.parse(text);
  const got = missing ? "missing" : Array.isArray(input) ? "an array" : `of type ${typeof input}`;
  const finding = { rule: "arguments-type" as const, message: `The input is ${got}, not an object.` };
  journal.note(at, finding, { type: "rewrite" });
  return { value, raw: damaged && typeof input === "string" ? input : undefined };
}
