import { isRecord } from "#core";
import type { Entry, SystemEntry } from "#core";

import type { Context, Wire } from "./context.ts";

/** The history with system messages where the model takes them, and the text of those that go to the top-level field. */
export interface PlacedSystem {
  readonly entries: readonly Entry[];
  readonly hoisted: readonly Wire[];
}

export function placeSystem(entries: readonly Entry[], context: Context): PlacedSystem {
  if (!entries.some(isSystem)) return { entries, hoisted: [] };
  const hoisted: Wire[] = [];
  const placed: Entry[] = [];
  const next = nextSpoken(entries);
  let waiting: SystemEntry[] = [];
  let isSpoken = false;
  entries.forEach((entry, i) => {
    if (isSystem(entry)) {
      const refused = context.model.takesSystem === false || !isSpoken;
      if (refused) hoist(entry, hoisted, placed, context);
      else if (mayFollow(placed.at(-1)) && mayPrecede(next[i])) placed.push(entry);
      else waiting.push(entry);
      return;
    }
    isSpoken = true;
    placed.push(entry);
    if (waiting.length === 0 || entry.role === "assistant" || !mayPrecede(entries[i + 1])) return;
    for (const late of waiting) {
      reportPlace(late, context, { type: "move", entry: late });
      placed.push(late);
    }
    waiting = [];
  });
  for (const late of waiting) hoist(late, hoisted, placed, context);
  return { entries: placed, hoisted };
}

/** For each entry, the next one behind it that is not a system message. */
function nextSpoken(entries: readonly Entry[]): readonly (Entry | undefined)[] {
  const next: (Entry | undefined)[] = [];
  for (let i = entries.length - 1; i >= 0; i--) {
    const behind = entries[i + 1];
    next[i] = behind !== undefined && isSystem(behind) ? next[i + 1] : behind;
  }
  return next;
}

/** A system message of the input: entries that nobody can read count as none. */
function isSystem(entry: Entry): entry is SystemEntry {
  return entry.role === "system" && entry.parts !== undefined;
}

/** It follows a user message, or an assistant message that ends with the result of a server tool. */
function mayFollow(entry: Entry | undefined): boolean {
  if (entry?.role !== "assistant") return entry !== undefined;
  const last = entry.parts?.at(-1)?.wire;
  const type = isRecord(last) ? last["type"] : undefined;
  return typeof type === "string" && type.endsWith("_tool_result");
}

const mayPrecede = (entry: Entry | undefined): boolean => entry === undefined || entry.role === "assistant";

function reportPlace(
  entry: SystemEntry,
  { journal, model }: Context,
  change?: { type: "move"; entry?: Entry; to?: string; after?: unknown },
): void {
  const message =
    model.takesSystem === false
      ? "System text goes to the top-level field, not into a message."
      : "A system message follows a user turn and precedes an assistant turn or the end.";
  const from = `messages[${entry.source?.index ?? 0}]`;
  journal.report({ rule: model.takesSystem === false ? "unknown-role" : "system-position", from, message }, change);
}

function hoist(entry: SystemEntry, hoisted: Wire[], placed: Entry[], context: Context): void {
  if (context.body === undefined) {
    reportPlace(entry, context); // a bare array has no top-level field to put it in
    placed.push(entry);
    return;
  }
  const blocks = (entry.parts ?? []).flatMap(({ wire }) => (isRecord(wire) ? [wire] : []));
  reportPlace(entry, context, { type: "move", to: "system", after: blocks });
  for (const block of blocks) hoisted.push(block);
}

/** The system field of a body with more text at its end: text as long as there is only text, else blocks. */
export function addSystem(system: unknown, blocks: readonly Wire[]): unknown {
  const said = typeof system === "string" && system !== "" ? [{ type: "text", text: system }] : [];
  const given: readonly unknown[] = Array.isArray(system) ? system : said;
  const isPlain =
    !Array.isArray(system) &&
    blocks.every((block) => Object.keys(block).every((key) => key === "type" || key === "text"));
  if (!isPlain) return [...given, ...blocks];
  return [...said, ...blocks].map(({ text }) => text).join("\n\n");
}
