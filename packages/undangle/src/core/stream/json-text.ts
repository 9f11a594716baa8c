/**
 * The JSON text of a parsed value; an invalid placeholder for a value without one, so that it never counts as
 * arguments.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? unwritable;
  } catch {
    return unwritable; // nested too deeply, or not from JSON
  }
}

/** The placeholder of such a value. */
export const unwritable = "{…}";
