import { continued, isRecord, makeAssistant, makeUser, textContent } from "#core";
import type { Content, Entry, RuleId, UserEntry } from "#core";

import { withoutKeys } from "./message.ts";
import type { Context } from "./message.ts";
import { contentOfChat } from "./write.ts";

/** Applies the rules about the order of messages. */
export function settleOrder(entries: readonly Entry[], context: Context): readonly Entry[] {
  const { profile } = context;
  let settled = entries;
  if (profile.systemFirst) settled = systemFirst(settled, context);
  if (profile.order === "mistral") settled = systemBeforeAssistant(settled, context);
  if (profile.userAfterResultRefused) settled = separateUsers(settled, context);
  if (profile.order === "alternate") settled = alternate(settled, context);
  if (profile.userRequired) settled = requireUser(settled, context);
  if (profile.callsFirstRefused !== undefined) settled = userBeforeCalls(settled, context);
  if (profile.order === "mistral") settled = mistralEnd(settled, context);
  if (profile.trailingAssistantsRefused) settled = mergeTrailing(settled, context);
  if (settled.length > 0 || !context.journal.changed()) return settled;
  const user = continuation(context);
  const finding = { rule: "no-messages" as const, from: undefined, message: "No valid message is left." };
  context.journal.edit(finding, { type: "insert", entry: user });
  return [user];
}

const from = (entry: Entry): string | undefined =>
  entry.source === undefined ? undefined : `messages[${entry.source.index}]`;

const continuation = ({ policy }: Context): UserEntry => makeUser([textContent(continued[policy.language])]);

/** Moves system messages to the start. */
function systemFirst(entries: readonly Entry[], { journal }: Context): readonly Entry[] {
  const isStrictly = (entry: Entry): boolean => wireRole(entry) === "system";
  const body = entries.findIndex((entry) => !isStrictly(entry));
  const late = body < 0 ? [] : entries.slice(body).filter(isStrictly);
  if (late.length === 0) return entries;
  for (const entry of late) {
    journal.report(
      { rule: "system-position", from: from(entry), message: "A system message must be at the start of the history." },
      { type: "move", entry },
    );
  }
  return [...entries.slice(0, body), ...late, ...entries.slice(body).filter((entry) => !isStrictly(entry))];
}

function isSystem(entry: Entry): boolean {
  const role = wireRole(entry);
  return role === "system" || role === "developer";
}

function wireRole(entry: Entry): unknown {
  const wire = entry.source?.mended;
  return isRecord(wire) ? wire["role"] : entry.role;
}

/** A system message may follow a user or system message. After an assistant message it moves up. */
function systemBeforeAssistant(entries: readonly Entry[], { journal }: Context): readonly Entry[] {
  const ordered: Entry[] = [];
  let behind: Entry[] = []; // the entries after the last valid position of a system message
  let moved = false;
  for (const entry of entries) {
    if (!isSystem(entry) && entry.role !== "user") {
      behind.push(entry);
      continue;
    }
    if (isSystem(entry) && behind.length > 0) {
      moved = true;
      const message = "A system message cannot follow an assistant message or a result.";
      journal.report({ rule: "role-order", from: from(entry), message }, { type: "move", entry });
    } else {
      for (const each of behind) ordered.push(each);
      behind = [];
    }
    ordered.push(entry);
  }
  return moved ? [...ordered, ...behind] : entries;
}

/** Inserts a short assistant message between a result and the next user message. */
function separateUsers(entries: readonly Entry[], context: Context): readonly Entry[] {
  return entries.flatMap((entry, i) => {
    if (entry.role !== "user" || entries[i - 1]?.role !== "result") return [entry];
    const between = makeAssistant([], [textContent(continued[context.policy.language])]);
    const message = "A user message must not directly follow a result.";
    context.journal.report(
      { rule: "user-after-result", from: from(entry), message },
      { type: "insert", entry: between },
    );
    return [between, entry];
  });
}

/** Makes user and assistant messages alternate, calls and results aside. Neighbours are merged and gaps are filled. */
function alternate(entries: readonly Entry[], context: Context): readonly Entry[] {
  const settled: Entry[] = [];
  let expected: "user" | "assistant" = "user";
  for (const entry of entries) {
    const before = settled.at(-1);
    if (isSystem(entry) && before !== undefined && isSystem(before)) {
      mergeInto(
        before,
        entry,
        { rule: "role-order", message: "The history must not start with more than one system message." },
        context,
      );
      continue;
    }
    const counts = entry.role === "user" || (entry.role === "assistant" && entry.calls.length === 0);
    if (!counts) {
      settled.push(entry);
      continue;
    }
    if (entry.role === expected) {
      settled.push(entry);
      expected = entry.role === "user" ? "assistant" : "user";
      continue;
    }
    const last = settled.at(-1);
    if (last?.role === entry.role && !(last.role === "assistant" && last.calls.length > 0)) {
      mergeInto(last, entry, { rule: "role-order", message: `Two ${entry.role} messages are adjacent.` }, context);
      continue;
    }
    const text = [textContent(continued[context.policy.language])];
    const gap = expected === "user" ? makeUser(text) : makeAssistant([], text);
    const message = `The provider expects a message of role ${expected} before this message.`;
    context.journal.report({ rule: "role-order", from: from(entry), message }, { type: "insert", entry: gap });
    settled.push(gap, entry);
  }
  return settled;
}

/** Appends the content of a message to the previous message. */
function mergeInto(
  target: Entry,
  entry: Entry,
  finding: { readonly rule: RuleId; readonly message: string },
  { journal, merged }: Context,
): void {
  const said = merged.get(target) ?? [...saidBy(target)];
  for (const part of saidBy(entry)) said.push(part);
  merged.set(target, said);
  target.content = said;
  target.fresh = true;
  journal.report({ ...finding, from: from(entry) }, { type: "merge", entry: target });
}

/** The content of a message, including a refusal. */
function saidBy(entry: Entry): readonly Content[] {
  const wire = entry.source?.mended;
  const refusal = isRecord(wire) ? wire["refusal"] : undefined;
  const content = contentOfChat(entry);
  return typeof refusal === "string" && content.length === 0 ? [textContent(refusal)] : content;
}

/** Inserts a user message after the system messages if there is none. */
function requireUser(entries: readonly Entry[], context: Context): readonly Entry[] {
  if (entries.length === 0 || entries.some((entry) => entry.role === "user")) return entries;
  const at = entries.findIndex((entry) => !isSystem(entry));
  const place = at < 0 ? entries.length : at;
  const user = continuation(context);
  context.journal.report(
    { rule: "no-user-message", from: "messages", message: "The conversation has no user message." },
    { type: "insert", entry: user },
  );
  return [...entries.slice(0, place), user, ...entries.slice(place)];
}

/**
 * Inserts a user message before calls at the start. Mistral does not count the calls of the first message, and then has
 * a result too many; Gemini accepts calls only after a message.
 */
function userBeforeCalls(entries: readonly Entry[], context: Context): readonly Entry[] {
  const isAlone = context.profile.callsFirstRefused === "alone";
  const at = isAlone ? 0 : entries.findIndex((entry) => !isSystem(entry));
  const first = entries[at];
  if (first?.role !== "assistant" || first.calls.length === 0 || isOpen(first)) return entries;
  const user = continuation(context);
  const message = "The first message must not contain calls.";
  const rule = isAlone ? "first-message" : "role-order";
  context.journal.report({ rule, from: from(first), message }, { type: "insert", entry: user });
  return [...entries.slice(0, at), user, ...entries.slice(at)];
}

/**
 * Mistral accepts `prefix` only on the last message. The last message must be a user message, a result, or an assistant
 * message with `prefix`.
 */
function mistralEnd(given: readonly Entry[], context: Context): readonly Entry[] {
  const { journal } = context;
  const entries = systemBeforeEnd(given, context);
  entries.slice(0, -1).forEach(({ source }) => {
    const wire = source?.mended;
    if (source === undefined || !isRecord(wire) || wire["prefix"] !== true) return;
    const finding = { rule: "misplaced-prefix" as const, message: "Only the last message may have prefix: true." };
    journal.note({ source, suffix: ".prefix" }, finding, { type: "remove" });
    source.mended = withoutKeys(wire, ["prefix"]);
  });
  const last = entries.at(-1);
  const wire = last?.source?.mended;
  if (last === undefined || last.role === "user" || last.role === "result" || isOpen(last)) return entries;
  const isPrefix = isRecord(wire) && wire["prefix"] === true;
  if (entries.length === 1 ? isSystem(last) : isPrefix) return entries;
  const rule = entries.length === 1 ? "first-message" : "last-message";
  const user = continuation(context);
  const message = "The last message must be a user message, a result, or an assistant message with prefix: true.";
  journal.report({ rule, from: from(last), message }, { type: "insert", entry: user });
  return isPrefix ? [user, last] : [...entries, user];
}

/** Moves system messages at the end up to a valid position, if there is one. */
function systemBeforeEnd(entries: readonly Entry[], { journal }: Context): readonly Entry[] {
  const end = entries.findLastIndex((entry) => !isSystem(entry));
  if (end < 0 || end === entries.length - 1) return entries;
  const behind = entries.slice(0, end).findLastIndex((entry) => isSystem(entry) || entry.role === "user");
  const late = entries.slice(end + 1);
  for (const entry of late) {
    const message = "The last message must be a user message or a result, but it is a system message.";
    journal.report({ rule: "last-message", from: from(entry), message }, { type: "move", entry });
  }
  return [...entries.slice(0, behind + 1), ...late, ...entries.slice(behind + 1, end + 1)];
}

/** True for calls that the caller leaves open, because their results will follow. */
function isOpen(entry: Entry): boolean {
  return entry.role === "assistant" && entry.calls.some((call) => call.result === undefined);
}

/** Merges adjacent assistant messages at the end. */
function mergeTrailing(entries: readonly Entry[], context: Context): readonly Entry[] {
  let start = entries.length;
  while (start > 0 && entries[start - 1]?.role === "assistant") start--;
  const [first, ...others] = entries.slice(start);
  if (first === undefined || others.length === 0 || [first, ...others].some(isOpen)) return entries;
  for (const entry of others) {
    const message = "The history ends with two assistant messages.";
    mergeInto(first, entry, { rule: "trailing-assistants", message }, context);
  }
  return entries.slice(0, start + 1);
}
