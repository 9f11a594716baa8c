import { isRecord } from "#core";
import type { Source } from "#core";

/** The source of an item inside a message. */
export interface InnerSource extends Source {
  /** The path relative to the message. */
  readonly path: string;
}

/** The path of an entry relative to its item. */
export const innerPath = (source: Source): string => ("path" in source ? String(source.path) : "");

/** The path of the call id in a result, which depends on the format. */
export function resultIdPath(source: Source): string {
  if ("path" in source) return `${innerPath(source)}.tool_use_id`;
  return isRecord(source.wire) && source.wire["tool_call_id"] !== undefined ? ".tool_call_id" : ".call_id";
}
