import { continued, isRecord, makeUser, textContent } from "#core";
import type { AssistantEntry, Entry } from "#core";

import { blockAt } from "./context.ts";
import type { Context } from "./context.ts";
import { isServerPart } from "./server-tools.ts";
import { isThinking, typeOf } from "./turns.ts";

/** The rules about the last turn of a history, when that is the assistant's. */
export function settleTail(entries: readonly Entry[], context: Context): readonly Entry[] {
  const turn = lastTurn(entries);
  const last = turn.at(-1);
  if (last === undefined || turn.some(({ calls }) => calls.some((call) => call.result === undefined))) return entries;
  const refused = context.model.takesPrefill === false || context.thinking === "enabled";
  if (refused && !turn.some(isPaused)) return closeTurn(entries, last, context);
  const quiet = context.thinking === "off" ? dropThinking(entries, turn, context) : entries;
  return quiet.at(-1) === last ? trimEnd(quiet, last, context) : settleTail(quiet, context);
}

/** The assistant entries at the end: the API takes them as one message. */
function lastTurn(entries: readonly Entry[]): AssistantEntry[] {
  const turn: AssistantEntry[] = [];
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i];
    if (entry?.role !== "assistant") break;
    turn.unshift(entry);
  }
  return turn;
}

/** A turn with server tools may have been paused by the server: the API goes on from there. */
function isPaused({ parts = [] }: AssistantEntry): boolean {
  return parts.some(isServerPart);
}

/** Models that do not continue an assistant message are given a user turn; an empty message simply goes. */
function closeTurn(entries: readonly Entry[], last: AssistantEntry, context: Context): readonly Entry[] {
  const { journal, policy } = context;
  const finding = {
    rule: "last-message" as const,
    from: last.source === undefined ? undefined : `messages[${last.source.index}]`,
    message: "The model does not continue an assistant message: the history must end with the user.",
  };
  if (last.parts?.length === 0 && entries.length > 1) {
    journal.report(finding, { type: "remove", before: last.source?.wire });
    return settleTail(entries.slice(0, -1), context);
  }
  const user = makeUser([textContent(continued[policy.language])]);
  journal.report(finding, { type: "insert", entry: user });
  return [...entries, user];
}

/** Without thinking, the message that is to be continued may not hold any. */
function dropThinking(
  entries: readonly Entry[],
  turn: readonly AssistantEntry[],
  { journal }: Context,
): readonly Entry[] {
  const emptied = new Set<Entry>();
  for (const entry of turn) {
    const { parts = [], source } = entry;
    const thoughts = parts.filter(isThinking);
    if (thoughts.length === 0 || source === undefined) continue;
    for (const part of thoughts) {
      journal.note(
        blockAt(source, part.place),
        { rule: "thinking-disabled", message: "Thinking is off, and the last message holds a thinking block." },
        { type: "remove", before: part.wire, lossless: false },
      );
    }
    entry.parts = parts.filter((part) => !isThinking(part));
    entry.fresh = true;
    if (entry.parts.length === 0) emptied.add(entry);
  }
  return emptied.size === 0 ? entries : entries.filter((entry) => !emptied.has(entry));
}

/** The text that is to be continued does not end in white space. */
function trimEnd(entries: readonly Entry[], last: AssistantEntry, context: Context): readonly Entry[] {
  const part = last.parts?.at(-1);
  const text = isRecord(part?.wire) ? part.wire["text"] : undefined;
  if (part === undefined || last.source === undefined || typeOf(part) !== "text") return entries;
  if (typeof text !== "string" || text === text.trimEnd()) return entries;
  const after = text.trimEnd();
  const rest = last.parts?.slice(0, -1) ?? [];
  const wire = isRecord(part.wire) ? { ...part.wire, text: after } : part.wire;
  context.journal.note(
    blockAt(last.source, part.place, ".text"),
    { rule: "trailing-whitespace", message: "The text of a final assistant message ends in white space." },
    { type: "rewrite", before: text, after },
  );
  last.parts = after === "" ? rest : [...rest, { ...part, wire }];
  last.fresh = true;
  return last.parts.length === 0 ? entries.slice(0, -1) : after === "" ? settleTail(entries, context) : entries;
}
