import { isRecord, jsonText, textOf } from "#core";
import type { Assembly, JsonObject, Slot } from "#core";

/** Decodes the frames of one format into an assembly, in order. It never throws on malformed frames. */
export interface StreamDecoder {
  /** Receives a parsed frame and its event name. */
  frame(value: JsonObject, event: string | undefined): void;
  /** True for a frame without readable content that does not belong to the format. */
  readonly isForeign?: (value: JsonObject) => boolean;
  /** Called at the end of the stream. */
  end?(): void;
}

export type CreateDecoder = (assembly: Assembly) => StreamDecoder;

// Fields that several formats share.

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

type Extras = Record<string, unknown> | undefined;

/** Collects additional keys of a call. Calls rarely have any. */
export function extrasIn(wire: JsonObject, usual: ReadonlySet<string>, known: Extras): Extras {
  const isExtra = (key: string): boolean => !usual.has(key) && wire[key] !== undefined && wire[key] !== null;
  for (const key in wire) {
    if (isExtra(key))
      return { ...known, ...Object.fromEntries(Object.entries(wire).filter(([each]) => isExtra(each))) };
  }
  return known;
}

/** The finish reason of a server. Undefined if it is blank or the text "null". */
export function reasonIn(value: unknown): string | undefined {
  const reason = textOf(value);
  return reason === undefined || /^\s*(?:null|none|undefined)\s*$/iu.test(reason) ? undefined : reason;
}

/** The names of tools, given as names, as definitions in any format, or as the keys of an object. */
export function toolNamesOf(tools: unknown): ReadonlySet<string> | undefined {
  if (tools === undefined || tools === null) return undefined;
  if (!Array.isArray(tools)) return isRecord(tools) ? new Set(Object.keys(tools)) : undefined;
  return new Set(tools.flatMap(namesIn));
}

function namesIn(tool: unknown): readonly string[] {
  if (typeof tool === "string") return [tool];
  if (!isRecord(tool)) return [];
  const declared = tool["functionDeclarations"] ?? tool["function_declarations"];
  if (Array.isArray(declared)) return declared.flatMap(namesIn);
  if (tool["type"] === "namespace" && Array.isArray(tool["tools"])) return tool["tools"].flatMap(namesIn);
  const inner = tool["function"] ?? tool["custom"] ?? tool["toolSpec"];
  if (isRecord(inner)) return namesIn(inner);
  return typeof tool["name"] === "string" ? [tool["name"]] : [];
}
