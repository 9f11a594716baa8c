import { isRecord } from "#core";
import type { Entry, JsonObject, Part, Source } from "#core";

import type { Context } from "./context.ts";
import { adoptBlock, noteAdopted } from "./foreign.ts";
import { blockAt } from "./origin.ts";

/** A system message in place, if the model accepts it; otherwise its text moves to the top-level field. */
export function readSystem(source: Source, blocks: readonly unknown[], context: Context): readonly Entry[] {
  const { journal, body } = context;
  const staysHere = staysSystem(source.index, context);
  const parts = blocks.map((block, place): Part => {
    if (!isRecord(block) || typeof block["type"] !== "string") return { wire: block, place, call: undefined };
    const adopted = adoptBlock(block);
    if (staysHere) noteAdopted(adopted, blockAt(source, place), context); // otherwise the move is reported
    return { wire: adopted?.block ?? block, place, call: undefined };
  });
  const entry: Entry = {
    role: "system",
    source,
    at: -1,
    fresh: source.mended !== source.wire || parts.some(({ wire, place }) => wire !== blocks[place]),
    content: undefined,
    parts,
  };
  if (staysHere) return [entry];
  const finding = {
    rule: "unknown-role" as const,
    from: `messages[${source.index}]`,
    message: "System text belongs in the top-level field, not in a message.",
  };
  if (body === undefined) {
    journal.report(finding); // a bare array has no top-level field
    return [{ ...entry, fresh: false }];
  }
  journal.report(finding, blocks.length === 0 ? { type: "remove" } : "left"); // until the body is written
  if (blocks.length > 0) context.hoisted.push({ finding, blocks: parts.map(({ wire }) => wire) });
  return [];
}

/** True for a system message that may stay in place. */
export const staysSystem = (index: number, context: Context): boolean =>
  !isLeading(index, context) && context.model.takesSystem !== false;

/** True if no other message precedes it. */
export function isLeading(index: number, { roles }: Context): boolean {
  for (const [earlier, role] of roles) if (earlier < index && role !== "system") return false;
  return true;
}

/** Appends the text of hoisted messages to the system field of a body. */
export function hoistSystem({ hoisted, body, journal }: Context): JsonObject | undefined {
  if (hoisted.length === 0) return undefined;
  const system = body?.["system"];
  const said: readonly unknown[] = Array.isArray(system)
    ? system
    : typeof system === "string"
      ? [{ text: system }]
      : [];
  const after = [...said, ...hoisted.flatMap(({ blocks }) => blocks)];
  for (const { finding } of hoisted) journal.edit(finding, { type: "move", parameter: { path: "system", after } });
  return { system: after };
}
