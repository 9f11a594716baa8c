import { continued, makeAssistant, makeUser, textContent } from "#core";
import type { AssistantEntry, Entry, Part } from "#core";

import { isMarker, isWords } from "./block.ts";
import type { Context } from "./context.ts";
import { originOf } from "./origin.ts";
import { eachRun } from "./turns.ts";

/** For models that accept either tool blocks or text in a turn: inserts a short turn of the other role between them. */
export function divideTurns(entries: readonly Entry[], context: Context): readonly Entry[] {
  return context.model.refusesMixedTurns ? divideUsers(divideAssistants(entries, context), context) : entries;
}

function divideUsers(entries: readonly Entry[], { journal, policy }: Context): readonly Entry[] {
  return entries.flatMap((entry, i): Entry[] => {
    if (entries[i - 1]?.role !== "result" || entry.role !== "user") return [entry];
    const between = makeAssistant([], [textContent(continued[policy.language])]);
    const place = entry.parts?.find((part) => !isMarker(part))?.place ?? 0;
    const { source } = entry;
    const from = source === undefined ? undefined : `messages[${source.index}]${originOf(source.wire, place)}`;
    const message = "This model accepts either results or other content in a user message, not both.";
    journal.report({ rule: "text-with-call", from, message }, { type: "insert", entry: between });
    return [between, entry];
  });
}

/** Moves the calls of a turn after its text, with a short user message between them. The results follow the calls. */
function divideAssistants(entries: readonly Entry[], context: Context): readonly Entry[] {
  const divided: Entry[] = [];
  eachRun(entries, (run) => {
    const turn = run.filter((entry) => entry.role === "assistant");
    const isMixed = turn.some(({ calls }) => calls.length > 0) && turn.some(speaks);
    for (const entry of isMixed ? divide(turn, context) : run) divided.push(entry);
  });
  return divided;
}

function divide(turn: readonly AssistantEntry[], context: Context): readonly Entry[] {
  const { journal, policy } = context;
  const mixed = turn.find((entry) => entry.calls.length > 0 && speaks(entry));
  const words = mixed?.parts?.find(({ wire }) => isWords(wire));
  noteLateWords(turn, context);
  const spoken: AssistantEntry[] = [];
  const calling: AssistantEntry[] = [];
  for (const entry of turn) {
    if (entry.calls.length === 0) spoken.push(entry);
    else {
      if (speaks(entry)) spoken.push(takeWords(entry));
      calling.push(entry);
    }
  }
  const between = makeUser([textContent(continued[policy.language])]);
  const from =
    mixed?.source !== undefined && words !== undefined
      ? `messages[${mixed.source.index}]${originOf(mixed.source.wire, words.place)}`
      : undefined;
  const message = "This model accepts either calls or other content in an assistant message, not both.";
  const parted = from === undefined ? neighbourIn([spoken[0], calling[0]], context) : undefined;
  journal.report(
    parted === undefined
      ? { rule: "text-with-call", from, message }
      : { rule: "role-order", from: parted, message: "Two assistant messages are adjacent." },
    { type: "insert", entry: between },
  );
  return [...spoken, between, ...calling];
}

/** True for a message with content besides its calls. */
const speaks = ({ parts, content }: AssistantEntry): boolean =>
  content === undefined ? parts?.some(({ wire }) => isWords(wire)) === true : content.length > 0;

/** Removes everything but the calls and their markers from an entry. */
function takeWords(entry: AssistantEntry): AssistantEntry {
  const { parts = [], content, source } = entry;
  entry.fresh = true;
  if (content !== undefined) {
    entry.content = parts.length === 0 ? [] : undefined;
    return makeAssistant([], content);
  }
  const first = parts.findIndex(({ call }) => call !== undefined);
  const isOfCalls = (part: Part, i: number): boolean => part.call !== undefined || (isMarker(part) && i > first);
  entry.parts = parts.filter(isOfCalls);
  const said = parts.filter((part, i) => !isOfCalls(part, i));
  return { role: "assistant", source, at: -1, fresh: true, content: undefined, parts: said, calls: [] };
}

/** Reports text that moves from after a call to before it. */
function noteLateWords(turn: readonly AssistantEntry[], { journal }: Context): void {
  let isCalling = false;
  for (const { parts = [], source } of turn) {
    for (const part of parts) {
      isCalling ||= part.call !== undefined;
      const from = part.source ?? source;
      if (!isCalling || from === undefined || !isWords(part.wire)) continue;
      const message = "Text follows a toolUse block of its turn.";
      const finding = {
        rule: "text-with-call" as const,
        from: `messages[${from.index}]${originOf(from.wire, part.place)}`,
        message,
      };
      journal.edit(finding, { type: "move", source: from, part: { place: part.place, tail: "" } });
    }
  }
}

/** The path of the first entry that followed an assistant message in the input. */
function neighbourIn(entries: readonly (Entry | undefined)[], { roles }: Context): string | undefined {
  const found = entries.find(
    (entry) => entry?.source !== undefined && roles.get(entry.source.index - 1) === "assistant",
  );
  return found?.source && `messages[${found.source.index}]`;
}
