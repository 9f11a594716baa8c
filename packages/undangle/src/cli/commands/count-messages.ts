import { codecs } from "#codecs";
import type { Format } from "#codecs";
import { isRecord } from "#core";

/** The number of messages of a body or a list. */
export function countMessages(input: unknown, format: Format): number {
  const list = isRecord(input) ? input[codecs[format].listKey] : input;
  return Array.isArray(list) ? list.length : 0;
}
