import { acceptsId, isRecord } from "#core";
import type { Entry, ResultEntry } from "#core";

import type { Context } from "./context.ts";
import { idOf } from "./item.ts";
import { plain } from "./plain.ts";
import { contentOfOutput } from "./results.ts";
import { writeOutput } from "./write.ts";

/**
 * Excludes outputs of stored calls from the pairing, because the input does not contain their calls. Of two outputs for
 * a call, the first stays, with the content of both.
 */
export function setStoredApart(entries: readonly Entry[], context: Context): Entry[] {
  const called = new Set(
    entries.flatMap((entry) => (entry.role === "assistant" ? entry.calls.map(({ id }) => id) : [])),
  );
  const outputs = new Map<string, ResultEntry[]>();
  const apart = entries.flatMap((entry): Entry[] => {
    if (entry.role !== "result" || entry.source === undefined || called.has(entry.id)) return [entry];
    if (!acceptsId(entry.id, context.profile.ids)) return [entry];
    const same = outputs.get(entry.id);
    if (same !== undefined) {
      same.push(entry);
      return [];
    }
    outputs.set(entry.id, [entry]);
    return [plain("system", entry.source)];
  });
  for (const same of outputs.values()) settle(same, context);
  return apart;
}

function settle([kept, ...others]: readonly ResultEntry[], { journal, policy }: Context): void {
  if (kept?.source === undefined) return;
  const said = new Set([JSON.stringify(contentOfOutput(kept))]);
  let content = [...contentOfOutput(kept)];
  for (const other of others) {
    const more = contentOfOutput(other);
    const text = JSON.stringify(more);
    const isLast = policy.duplicates === "last";
    const finding = {
      rule: "duplicate-result" as const,
      from: `input[${other.source?.index}]`,
      message: `The call ${other.id} has more than one output.`,
      callId: other.id,
    };
    if (said.has(text)) journal.report(finding, { type: "remove" });
    else journal.report(finding, { type: "merge", source: kept.source, lossless: !isLast });
    if (said.has(text)) continue;
    said.add(text);
    if (isLast) content = [...more];
    else for (const part of more) content.push(part);
  }
  if (said.size > 1) kept.content = content;
  if (said.size > 1 || kept.fresh) kept.source.mended = writeOutput(kept, undefined);
}

/** True if a reference may be a call: references to reasoning and messages have a prefix. */
export function refersToCall(list: readonly unknown[]): boolean {
  const wanted: string[] = [];
  for (const item of list) {
    const id = isRecord(item) && item["type"] === "item_reference" ? idOf(item) : undefined;
    if (id !== undefined && !id.startsWith("rs_") && !id.startsWith("msg_")) wanted.push(id);
  }
  if (wanted.length === 0) return false;
  const inline = new Set(list.filter((item) => isRecord(item) && item["type"] !== "item_reference").map(idIn));
  return wanted.some((id) => !inline.has(id)); // a reference to an item that is also in the input is a copy
}

const idIn = (item: unknown): string | undefined => (isRecord(item) ? idOf(item) : undefined);
