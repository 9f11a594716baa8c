/** The text of a value that came parsed; one that is no JSON where it has none, so that nobody takes it for arguments. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? unwritable;
  } catch {
    return unwritable; // too deep for the stack, or not from JSON at all
  }
}

/** What stands for a value that cannot be written. */
export const unwritable = "{…}";
