import { isRecord, jsonText } from "#core";
import type { Assembly, Slot } from "#core";

/**
 * Appends arguments as text, or as a value if the server sent them parsed. An empty object adds nothing to existing
 * text.
 */
export function appendArguments(slot: Slot, args: unknown, assembly: Assembly): void {
  if (typeof args === "string") assembly.append(slot, args);
  else if (args !== undefined && args !== null) {
    assembly.note("arguments-object", slot);
    if (!isEmptyObject(args) || !slot.hasText) assembly.append(slot, jsonText(args));
  }
}

/** True for an empty object, which may be a placeholder for arguments. */
export const isEmptyObject = (args: unknown): boolean => isRecord(args) && Object.keys(args).length === 0;
