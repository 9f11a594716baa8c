import { isRecord } from "#core";

import type { Wire } from "./context.ts";

/** What a request says of its context when nothing is cleared from it any more that needs thinking. */
interface Unclearing {
  readonly management: Wire;
  readonly before: unknown;
  readonly after: readonly unknown[];
}

/** Thoughts are cleared from a context by a request that thinks; undefined where nobody asked for it. */
export function keepThoughts(management: unknown): Unclearing | undefined {
  const before = isRecord(management) ? management["edits"] : undefined;
  if (!isRecord(management) || !Array.isArray(before)) return undefined;
  const after = before.filter((edit: unknown) => !clearsThoughts(edit));
  return after.length === before.length ? undefined : { management: { ...management, edits: after }, before, after };
}

const clearsThoughts = (edit: unknown): boolean =>
  isRecord(edit) && typeof edit["type"] === "string" && edit["type"].startsWith("clear_thinking_");
