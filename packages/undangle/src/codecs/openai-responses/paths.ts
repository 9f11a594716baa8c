import { isRecord } from "#core";
import type { Source } from "#core";

/** The source of an item that stood inside a message. */
export interface InnerSource extends Source {
  /** Where, behind the path of the message. */
  readonly path: string;
}

/** Where an entry stood, behind the path of its item. */
export const innerPath = (source: Source): string => ("path" in source ? String(source.path) : "");

/** Where a result names its call, behind the path of its item: other formats have other keys for it. */
export function resultIdPath(source: Source): string {
  if ("path" in source) return `${innerPath(source)}.tool_use_id`;
  return isRecord(source.wire) && source.wire["tool_call_id"] !== undefined ? ".tool_call_id" : ".call_id";
}
