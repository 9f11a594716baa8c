import { isRecord } from "#core";
import type { Entry, Finding, JsonObject } from "#core";

import type { Context } from "./context.ts";

/** A system content that moves to the body's system field. */
export interface Hoisted {
  readonly finding: Finding;
  readonly parts: readonly unknown[];
}

/** The history without system contents, and their text. A bare array has no field for it. */
export function placeSystem(
  entries: readonly Entry[],
  { body, journal }: Context,
): { readonly entries: readonly Entry[]; readonly hoisted: readonly Hoisted[] } {
  const isSystem = ({ role, parts }: Entry): boolean => role === "system" && parts !== undefined;
  if (!entries.some(isSystem)) return { entries, hoisted: [] };
  const hoisted: Hoisted[] = [];
  const rest = entries.filter((entry) => {
    if (!isSystem(entry)) return true;
    const finding: Finding = {
      rule: "unknown-role",
      from: entry.source && `contents[${entry.source.index}]`,
      message: "System text belongs in systemInstruction, not in contents.",
    };
    if (body === undefined) journal.report(finding);
    else {
      journal.report(finding, "left"); // until the body is written
      hoisted.push({ finding, parts: (entry.parts ?? []).map(({ wire }) => wire) });
    }
    return body === undefined;
  });
  return { entries: rest, hoisted };
}

/** The changed keys of the body after system contents moved to its field. */
export function hoistSystem(hoisted: readonly Hoisted[], { body, journal, spelling }: Context): JsonObject | undefined {
  if (body === undefined || hoisted.length === 0) return undefined;
  const { config } = body;
  const holder = isRecord(config) ? config : body; // the JavaScript SDK has the field in `config`
  const key = keyIn(holder, spelling() === "snake" && holder === body);
  const after = addParts(
    holder[key],
    hoisted.flatMap(({ parts }) => parts),
  );
  const path = holder === body ? key : `config.${key}`;
  for (const { finding } of hoisted) journal.edit(finding, { type: "move", parameter: { path, after } });
  return holder === body ? { [key]: after } : { config: { ...holder, [key]: after } };
}

function keyIn(holder: JsonObject, isSnake: boolean): string {
  if ("systemInstruction" in holder) return "systemInstruction";
  return isSnake || "system_instruction" in holder ? "system_instruction" : "systemInstruction";
}

/** A system instruction is a content. The SDKs also accept text, a part or a list of them. */
function addParts(given: unknown, parts: readonly unknown[]): JsonObject {
  if (isRecord(given) && Array.isArray(given["parts"])) {
    return { ...given, parts: [...(given["parts"] as readonly unknown[]), ...parts] };
  }
  const before: readonly unknown[] =
    given === undefined || given === null || given === "" ? [] : Array.isArray(given) ? given : [given];
  return { parts: [...before.map((part) => (typeof part === "string" ? { text: part } : part)), ...parts] };
}
