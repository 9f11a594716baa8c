import { isRecord } from "#core";
import type { Entry, Finding, JsonObject, Part, SystemEntry } from "#core";

import type { Context } from "./context.ts";
import { typeOf } from "./turns.ts";

/** A system message that moves to the top-level field. */
export interface Hoisted {
  readonly finding: Finding;
  readonly blocks: readonly JsonObject[];
}

/** The history with system messages at valid positions, and those that move to the top-level field. */
export interface PlacedSystem {
  readonly entries: readonly Entry[];
  readonly hoisted: readonly Hoisted[];
}

export function placeSystem(entries: readonly Entry[], context: Context): PlacedSystem {
  if (context.continues || !entries.some(isSystem)) return { entries, hoisted: [] };
  const hoisted: Hoisted[] = [];
  const placed: Entry[] = [];
  const next = nextSpoken(entries);
  let waiting: SystemEntry[] = [];
  let isSpoken = false;
  const join = createJoin();
  const keep = (entry: SystemEntry): void => {
    const joined = join(placed.at(-1), entry);
    const message = "A system message must not follow another system message.";
    if (joined === undefined) placed.push(entry);
    else context.journal.report({ ...findingOf(entry, context), message }, { type: "merge", entry: joined });
  };
  entries.forEach((entry, i) => {
    if (isSystem(entry)) {
      const refused = context.model.takesSystem === false || !isSpoken;
      if (refused) hoist(entry, hoisted, placed, context);
      else if (mayFollow(placed.at(-1)) && mayPrecede(next[i])) keep(entry);
      else waiting.push(entry);
      return;
    }
    isSpoken = true;
    placed.push(entry);
    if (waiting.length === 0 || entry.role === "assistant" || !mayPrecede(next[i])) return;
    for (const late of waiting) {
      const joined = join(placed.at(-1), late);
      context.journal.report(findingOf(late, context), { type: "move", entry: joined ?? late });
      if (joined === undefined) placed.push(late);
    }
    waiting = [];
  });
  for (const late of waiting) hoist(late, hoisted, placed, context);
  return { entries: placed, hoisted };
}

/** Merges two consecutive system messages and returns the result. Undefined if that is not possible. */
type Join = (before: Entry | undefined, late: SystemEntry) => Entry | undefined;

function createJoin(): Join {
  const joined = new Map<Entry, Part[]>(); // the result of each merge; there may be many
  return (before, late) => {
    if (before === undefined || !isPlainSystem(late) || !(joined.has(before) || isPlainSystem(before)))
      return undefined;
    const parts = joined.get(before) ?? [...(before.parts ?? [])];
    const { source } = late;
    for (const part of late.parts ?? []) parts.push(source === undefined ? part : { ...part, source });
    joined.set(before, parts);
    before.parts = parts;
    before.fresh = true;
    return before;
  };
}

/** A system message with only text. Others may change tools or settings. */
function isPlainSystem(entry: Entry): entry is SystemEntry {
  const message = entry.source?.mended;
  if (!isSystem(entry) || !isRecord(message)) return false;
  return (
    Object.keys(message).every((key) => key === "role" || key === "content") &&
    entry.parts?.every((part) => typeOf(part) === "text") === true
  );
}

/** For each entry, the next entry that is not a system message. */
function nextSpoken(entries: readonly Entry[]): readonly (Entry | undefined)[] {
  const next: (Entry | undefined)[] = [];
  for (let i = entries.length - 1; i >= 0; i--) {
    const behind = entries[i + 1];
    next[i] = behind !== undefined && isSystem(behind) ? next[i + 1] : behind;
  }
  return next;
}

/** A system message of the input; unreadable entries do not count. */
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

function findingOf(entry: SystemEntry, { model }: Context): Finding {
  const isRefused = model.takesSystem === false;
  return {
    rule: isRefused ? "unknown-role" : "system-position",
    from: entry.source === undefined ? undefined : `messages[${entry.source.index}]`,
    message: isRefused
      ? "System text belongs in the top-level field, not in a message."
      : "A system message must follow a user turn and precede an assistant turn or the end.",
  };
}

function hoist(entry: SystemEntry, hoisted: Hoisted[], placed: Entry[], context: Context): void {
  const finding = findingOf(entry, context);
  if (context.body === undefined || entry.parts?.some((part) => typeOf(part) !== "text") === true) {
    context.journal.report(finding); // a bare array has no top-level field, and the field accepts only text
    placed.push(entry);
    return;
  }
  context.journal.report(finding, "left"); // until the body is written
  hoisted.push({ finding, blocks: (entry.parts ?? []).flatMap(({ wire }) => (isRecord(wire) ? [wire] : [])) });
}

/** Appends the text of hoisted messages to the system field of a body. */
export function hoistSystem(
  system: unknown,
  hoisted: readonly Hoisted[],
  { journal }: Context,
): JsonObject | undefined {
  if (hoisted.length === 0) return undefined;
  const after = addSystem(
    system,
    hoisted.flatMap(({ blocks }) => blocks),
  );
  for (const { finding } of hoisted) journal.edit(finding, { type: "move", parameter: { path: "system", after } });
  return { system: after };
}

/** A string if there is only text, otherwise blocks. */
function addSystem(system: unknown, blocks: readonly JsonObject[]): unknown {
  const said: readonly JsonObject[] =
    typeof system === "string" && system !== "" ? [{ type: "text", text: system }] : [];
  const isPlain = (block: JsonObject): boolean => Object.keys(block).every((key) => key === "type" || key === "text");
  if (Array.isArray(system)) return [...(system as readonly unknown[]), ...blocks];
  if (!blocks.every(isPlain)) return [...said, ...blocks];
  return [...said, ...blocks].map(({ text }) => String(text)).join("\n\n");
}
