import { continued, isRecord, makeUser, textContent } from "#core";
import type { AssistantEntry, Entry } from "#core";

import { blockAt } from "./context.ts";
import type { Context } from "./context.ts";
import { isServerPart } from "./server-tools.ts";
import { isThinking, typeOf } from "./turns.ts";

/**
 * Applies the rules about an assistant turn at the end of a history. The API reads consecutive assistant messages as
 * one.
 */
export function settleTail(entries: readonly Entry[], context: Context): readonly Entry[] {
  const start = entries.findLastIndex(({ role }) => role !== "assistant") + 1;
  const turn = entries.slice(start).filter((entry): entry is AssistantEntry => entry.role === "assistant");
  if (turn.length === 0 || turn.some(({ calls }) => calls.some((call) => call.result === undefined))) return entries;
  if (isRecord(context.body?.["compaction"])) return entries; // it is summarized, not continued
  const isThinking = context.thinking === "enabled" && context.profile.signaturesChecked;
  const refused = context.model.takesPrefill === false || isThinking;
  if (refused && !turn.some(isPaused)) return [...entries.slice(0, start), ...closeTurn(turn, start, context)];
  if (context.thinking === "off" && context.profile.signaturesChecked) dropThinking(turn, context);
  trimEnd(turn, context);
  const left = turn.filter(({ parts, fresh }) => !fresh || parts?.length !== 0);
  return left.length === turn.length ? entries : [...entries.slice(0, start), ...left];
}

/** True for a turn that the server may have paused and will continue: it has server tools, or ends with a summary. */
function isPaused({ parts = [] }: AssistantEntry): boolean {
  return parts.some(isServerPart) || typeOf(parts.at(-1)) === "compaction";
}

/** Adds a user turn for models that do not continue an assistant message. Empty messages are removed. */
function closeTurn(turn: readonly AssistantEntry[], start: number, { journal, policy }: Context): readonly Entry[] {
  const findingOf = (entry: AssistantEntry | undefined) => ({
    rule: "last-message" as const,
    from: entry?.source === undefined ? undefined : `messages[${entry.source.index}]`,
    message: "The model does not continue an assistant message; the history must end with a user message.",
  });
  if (start > 0 && turn.every(({ parts }) => parts?.length === 0)) {
    for (const entry of turn) journal.report(findingOf(entry), { type: "remove" });
    return [];
  }
  const user = makeUser([textContent(continued[policy.language])]);
  journal.report(findingOf(turn.at(-1)), { type: "insert", entry: user });
  return [...turn, user];
}

/** Without thinking mode, the message to continue must not contain thinking. */
function dropThinking(turn: readonly AssistantEntry[], { journal }: Context): void {
  for (const entry of turn) {
    const { parts = [], source } = entry;
    const thoughts = parts.filter(isThinking);
    if (thoughts.length === 0 || source === undefined) continue;
    for (const part of thoughts) {
      journal.note(
        blockAt(source, part.place),
        { rule: "thinking-disabled", message: "Thinking is off, but the last message contains a thinking block." },
        { type: "remove", lossless: false },
      );
    }
    entry.parts = parts.filter((part) => !isThinking(part));
    entry.fresh = true;
  }
}

/** The text to continue must not end in whitespace. Blank blocks are removed, and the last block is trimmed. */
function trimEnd(turn: readonly AssistantEntry[], { journal }: Context): void {
  for (const entry of turn.toReversed()) {
    const parts = [...(entry.parts ?? [])];
    for (let part = parts.at(-1); part !== undefined; part = parts.at(-1)) {
      const text = isRecord(part.wire) ? part.wire["text"] : undefined;
      if (typeOf(part) !== "text" || typeof text !== "string" || entry.source === undefined) return;
      const after = text.trimEnd();
      if (after === text) return;
      const finding = {
        rule: "trailing-whitespace" as const,
        message: "The text of the final assistant message ends with white space.",
      };
      parts.pop();
      entry.fresh = true;
      if (after === "") {
        journal.note(blockAt(entry.source, part.place), finding, { type: "remove" });
        entry.parts = parts;
        continue;
      }
      const at = blockAt(entry.source, part.place, ".text");
      journal.note(at, finding, { type: "rewrite" });
      entry.parts = [...parts, { ...part, wire: isRecord(part.wire) ? { ...part.wire, text: after } : part.wire }];
      return;
    }
  }
}
