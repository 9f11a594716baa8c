import { isRecord } from "#core";
import type { JsonObject } from "#core";

/** The context management of a request that clears nothing that requires thinking. */
interface Unclearing {
  readonly management: JsonObject;
  readonly before: unknown;
  readonly after: readonly unknown[];
}

/** Only a request with thinking can clear thinking; undefined if it is not requested. */
export function keepThoughts(management: unknown): Unclearing | undefined {
  const before = isRecord(management) ? management["edits"] : undefined;
  if (!isRecord(management) || !Array.isArray(before)) return undefined;
  const after = before.filter((edit: unknown) => !clearsThoughts(edit));
  return after.length === before.length ? undefined : { management: { ...management, edits: after }, before, after };
}

const clearsThoughts = (edit: unknown): boolean =>
  isRecord(edit) && typeof edit["type"] === "string" && edit["type"].startsWith("clear_thinking_");
