import { isRecord } from "#core";
import type { Entry, Source } from "#core";

import type { Context } from "./context.ts";
import { idOf, withoutKeys } from "./item.ts";
import type { Item } from "./item.ts";

/**
 * Keeps reasoning together with what it led to: reasoning that cannot stay goes, and the items behind it lose the ids by
 * which the API would ask for it.
 */
export function settleReasoning(entries: readonly Entry[], context: Context): readonly Entry[] {
  const gone = findGone(entries, context);
  const reasoned = { covered: context.profile.continues, bereft: false };
  for (const entry of entries) {
    const kind = kindOf(entry);
    if (gone.has(entry)) reasoned.bereft = true;
    else if (kind === "reasoning") Object.assign(reasoned, { covered: true, bereft: false });
    else if (kind === "end") Object.assign(reasoned, { covered: false, bereft: false });
    else if (entry.source !== undefined && !reasoned.covered) dropId(entry.source, reasoned.bereft, context);
  }
  return gone.size === 0 ? entries : entries.filter((entry) => !gone.has(entry));
}

/** The reasoning that goes: it cannot be read, or what it led to is not there. */
function findGone(entries: readonly Entry[], { doomed, journal }: Context): ReadonlySet<Entry> {
  const gone = new Set<Entry>();
  let next: Entry | undefined;
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i];
    if (entry === undefined) continue;
    const item = itemOf(entry);
    const doom = entry.source && doomed.get(entry.source);
    const isDangling = item?.["type"] === "reasoning" && !leadsTo(item, next);
    if (entry.source === undefined || (doom === undefined && !isDangling)) {
      next = entry;
      continue;
    }
    gone.add(entry);
    const message = "The reasoning is not followed by the item that it led to.";
    const { finding, lossless } = doom ?? {
      finding: { rule: "dangling-reasoning" as const, message },
      lossless: false,
    };
    journal.note({ source: entry.source, suffix: "" }, finding, { type: "remove", lossless });
  }
  return gone;
}

/** True when an item can be the one that the reasoning led to; stored reasoning asks for it by its id. */
function leadsTo(reasoning: Item, next: Entry | undefined): boolean {
  if (next === undefined || kindOf(next) === "end" || next.source === undefined) return false;
  const isStored = idOf(reasoning) !== undefined && !reasoning["encrypted_content"];
  const item = itemOf(next);
  return !isStored || item === undefined || idOf(item) !== undefined || !hasIdByType(item);
}

/** Types whose items may leave their id out, and then are not the stored ones. */
const hasIdByType = ({ type }: Item): boolean =>
  type === undefined ||
  type === "message" ||
  type === "reasoning" ||
  type === "function_call" ||
  type === "custom_tool_call";

/** What an entry means for the reasoning before it: reasoning itself, the end of what it led to, or part of that. */
function kindOf(entry: Entry): "reasoning" | "end" | "part" {
  if (entry.role === "result" || entry.role === "user") return "end";
  const item = itemOf(entry);
  const type = item?.["type"];
  if (type === "reasoning") return "reasoning";
  if (type === "item_reference") return String(item?.["id"]).startsWith("rs_") ? "reasoning" : "part";
  if (typeof type === "string" && type !== "message") return type.endsWith("_output") ? "end" : "part";
  return entry.role === "system" && isRecord(item) && typeof item["role"] === "string" ? "end" : "part";
}

const itemOf = ({ source }: Entry): Item | undefined => (isRecord(source?.mended) ? source.mended : undefined);

/** Takes the id off an item that has lost its reasoning; of calls this is known, wherever the model reasons. */
function dropId(source: Source, isBereft: boolean, { profile, journal }: Context): void {
  const item = source.mended;
  if (!isRecord(item) || idOf(item) === undefined || !hasIdByType(item)) return;
  if (!isBereft && !(profile.reasons && item["type"] === "function_call")) return;
  const message = "The item is sent with its id, but without the reasoning that it came from.";
  const finding = { rule: "missing-reasoning" as const, message };
  journal.note({ source, suffix: ".id" }, finding, { type: "remove" });
  source.mended = withoutKeys(item, ["id"]);
}
