import { isRecord } from "#core";
import type { AssistantEntry, Call, Entry, ResultEntry } from "#core";

import { isResponse } from "./approvals.ts";
import { blockItems } from "./block.ts";
import { partAt, textOf } from "./message.ts";
import type { Context, Extra } from "./message.ts";
import { dropForeign } from "./read.ts";

/** Adds the tool name to every result, and moves approval responses to where the SDK reads them. */
export function settleModelMessages(entries: readonly Entry[], context: Context): readonly Entry[] {
  for (const entry of entries) if (entry.role === "assistant") nameResults(entry, context);
  const results: ResultEntry[] = [];
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i];
    if (entry?.role === "result") results.push(entry);
    else {
      if (entry?.role === "assistant") settleLast(entry, results.reverse(), context);
      break;
    }
  }
  return entries;
}

/** Sets the tool name of results, which some providers use for pairing. */
function nameResults({ calls }: AssistantEntry, { journal }: Context): void {
  for (const { id, name, result } of calls) {
    if (result?.source === undefined || result.pending === true || result.name === name) continue;
    const isMissing = result.name === "";
    const message = isMissing
      ? "The result does not name its tool."
      : "The tool name of the result differs from that of its call.";
    journal.report(
      {
        rule: isMissing ? "missing-name" : "mismatched-name",
        from: `messages[${result.source.index}].content[${result.place}].toolName`,
        message,
        callId: id,
      },
      { type: "rename", entry: result, suffix: ".toolName", reconstructed: isMissing, lossless: isMissing },
    );
    result.name = name;
    result.fresh = true;
  }
}

/** The SDK handles only the approval responses in the last message, so no others may be there. */
function settleLast(owner: AssistantEntry, results: readonly ResultEntry[], context: Context): void {
  const pending = results.filter((result) => result.pending === true);
  if (new Set(pending.map(({ source }) => source)).size > 1 && !results.some(({ regrouped }) => regrouped)) {
    regroup(results);
    const [first] = pending;
    context.journal.report(
      {
        rule: "split-results",
        from: first?.source && `messages[${first.source.index}]`,
        message: "Approval responses are spread over several messages; the SDK reads only the last message.",
        callId: first?.id,
      },
      { type: "merge", ...(first === undefined ? {} : { entry: first }) },
    );
  }
  for (let again = true; again;) again = settleExtras(owner, results, context);
}

/** True if something changed, which may change the last message. */
function settleExtras(owner: AssistantEntry, results: readonly ResultEntry[], context: Context): boolean {
  const extras = context.extras.get(owner) ?? [];
  const isOne = results.some(({ regrouped }) => regrouped);
  const last = blockItems(results, extras).at(-1)?.source;
  const inLast = (extra: Extra): boolean => isResponse(extra.wire) && (isOne || extra.source === last);
  const callOf = createLookUp(owner, context);
  const gone = new Set<Extra>();
  let isBehind = false;
  for (const extra of extras) {
    if (!inLast(extra)) continue;
    const call = callOf(extra);
    if (call === undefined) {
      if (isRecord(extra.wire) && dropForeign(extra.wire, extra.place, extra.source, context)) gone.add(extra);
    } else if (!isOne && call.result !== undefined && call.result.source !== last) {
      isBehind = true;
      context.journal.note(
        partAt(extra.source, extra.place),
        {
          rule: "displaced-result",
          message: "The approval response comes after the result of its call.",
          callId: call.id,
        },
        { type: "move" },
      );
    }
  }
  if (gone.size === 0 && !isBehind) return false;
  const kept = extras.filter((extra) => !gone.has(extra));
  context.extras.set(owner, kept);
  regroup(results);
  return true;
}

/** Finds the call of an approval response. */
function createLookUp({ calls }: AssistantEntry, { requests }: Context): (extra: Extra) => Call | undefined {
  const byId = new Map<string, Call>();
  for (const call of calls) {
    const id = isRecord(call.wire) ? textOf(call.wire["toolCallId"]) : call.id;
    if (!byId.has(id)) byId.set(id, call);
  }
  return ({ wire }) => {
    const id = isRecord(wire) ? requests().callIds.get(textOf(wire["approvalId"])) : undefined;
    return id === undefined ? undefined : byId.get(id);
  };
}

const regroup = (results: readonly ResultEntry[]): void => {
  for (const result of results) result.regrouped = true;
};
