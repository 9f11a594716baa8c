import { isRecord, makeAssistant, makeUser, quotePrefix, textContent } from "#core";
import type { AssistantEntry, Call, Content, Entry, Journal, Source } from "#core";

import { hasReasoning, withKey } from "./message.ts";
import type { Context } from "./message.ts";
import { contentOfChat } from "./write.ts";

/** Moves media to a user message after their block of results. */
export function placeMedia(entries: readonly Entry[], { policy, media }: Context): readonly Entry[] {
  if (media.size === 0) return entries;
  const placed: Entry[] = [];
  let waiting: Content[] = [];
  let open: number | undefined; // the start of a turn with calls that stay open, which remains at the end of the history
  const flush = (): void => {
    if (waiting.length > 0) placed.splice(open ?? placed.length, 0, makeUser(waiting));
    waiting = [];
  };
  for (const entry of entries) {
    if (entry.role !== "result") flush();
    if (entry.role === "assistant" && entry.calls.some((call) => call.result === undefined)) open = placed.length;
    placed.push(entry);
    const moved = media.get(entry) ?? [];
    if (moved.length > 0 && entry.role === "result") waiting.push(textContent(quotePrefix[policy.language]));
    for (const part of moved) waiting.push(part);
  }
  flush();
  return placed;
}

/** In thinking mode, every assistant message with calls requires reasoning. Lost reasoning becomes an empty field. */
export function mendReasoning(entries: readonly Entry[], { profile, journal }: Context): void {
  for (const entry of entries) {
    if (entry.role !== "assistant" || entry.calls.length === 0) continue;
    if (profile.nullContentRefused && entry.source === undefined) entry.extras = { content: " " };
    if (!profile.reasoningRequired) continue;
    const wire = entry.source?.mended;
    if (isRecord(wire) && hasReasoning(wire, profile)) continue;
    const known = isRecord(wire) && typeof wire["reasoning"] === "string" ? wire["reasoning"] : "";
    if (entry.source === undefined || !isRecord(wire)) {
      entry.extras = { ...entry.extras, [profile.reasoningKeys[0]]: "" };
      continue;
    }
    journal.note(
      { source: entry.source, suffix: ".reasoning_content" },
      { rule: "missing-reasoning", message: "Thinking is on, but the message with calls has no reasoning_content." },
      { type: "rewrite" },
    );
    entry.source.mended = withKey(wire, "reasoning_content", known);
  }
}

/** Splits assistant messages that combine more than the provider accepts: text and calls, or several calls. */
export function splitTurns(entries: readonly Entry[], context: Context): readonly Entry[] {
  const { textWithCallRefused, parallelCallsRefused } = context.profile;
  if (!textWithCallRefused && !parallelCallsRefused) return entries;
  const split: Entry[] = [];
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i];
    if (entry === undefined) continue;
    if (entry.role !== "assistant" || entry.calls.length === 0) {
      split.push(entry);
      continue;
    }
    const head = textWithCallRefused ? takeText(entry, context) : undefined;
    if (head !== undefined) split.push(head);
    const isOpen = entry.calls.some((call) => call.result === undefined);
    if (!parallelCallsRefused || entry.calls.length < 2 || isOpen) split.push(entry);
    else {
      for (const each of oneByOne(entry, context)) split.push(each);
      while (entries[i + 1]?.role === "result") i++;
    }
  }
  return split;
}

/** Moves the text of a message with calls to an assistant message before it. */
function takeText(entry: AssistantEntry, { journal }: Context): AssistantEntry | undefined {
  const content = contentOfChat(entry).filter((part) => part.type !== "text" || part.text !== "");
  if (entry.source === undefined) return undefined;
  if (content.length === 0) return dropSilence(entry, entry.source, journal);
  const head = makeAssistant([], content);
  journal.report(
    {
      rule: "text-with-call",
      from: `messages[${entry.source.index}].content`,
      message: "This model accepts either text or calls in an assistant message, not both.",
    },
    { type: "move", entry: head },
  );
  entry.content = [];
  entry.fresh = true;
  return head;
}

/** Empty parts count as content for the provider. */
function dropSilence(entry: AssistantEntry, source: Source, journal: Journal): undefined {
  const wire = source.mended;
  const content = isRecord(wire) ? wire["content"] : undefined;
  if (!Array.isArray(content) || content.length === 0) return;
  const finding = { rule: "text-with-call" as const, message: "The message has empty text beside its calls." };
  journal.note({ source, suffix: ".content" }, finding, { type: "rewrite" });
  entry.content = [];
  entry.fresh = true;
}

/** Splits a turn with several calls into turns with one call and its result each. */
function oneByOne(entry: AssistantEntry, { journal }: Context): Entry[] {
  const [first, ...rest] = entry.calls;
  if (first === undefined || rest.length === 0) return [entry];
  entry.calls = [first];
  entry.fresh = true;
  const others = rest.map((call) => ({ call, assistant: makeAssistant([call]) }));
  const finding = {
    rule: "parallel-calls" as const,
    from: entry.source === undefined ? undefined : `messages[${entry.source.index}].tool_calls`,
    message: "This model accepts only one call in an assistant message.",
  };
  others.forEach(({ assistant, call }, i) => {
    journal.report(i === 0 ? finding : { ...finding, from: undefined }, { type: "move", entry: assistant, call });
  });
  return [
    entry,
    ...resultsOf(first),
    ...others.flatMap(({ assistant, call }): Entry[] => [assistant, ...resultsOf(call)]),
  ];
}

const resultsOf = ({ result }: Call): Entry[] => (result === undefined ? [] : [result]);
