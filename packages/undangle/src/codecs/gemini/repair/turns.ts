import { continued, isRecord, makeUser, textContent } from "#core";
import type { AssistantEntry, Dialect, Entry, Finding, Part, ResultEntry, Source } from "#core";

import { wholeMessage } from "../../whole-message.ts";
import type { Context } from "./context.ts";

/** Removes model contents that are empty after a repair. */
export function withoutEmptied(entries: readonly Entry[]): readonly Entry[] {
  const isEmptied = (entry: Entry): boolean => {
    if (entry.role !== "assistant" || !entry.fresh || entry.parts === undefined || entry.calls.length > 0) return false;
    return entry.parts.every(({ call }) => call !== undefined);
  };
  return entries.some(isEmptied) ? entries.filter((entry) => !isEmptied(entry)) : entries;
}

/** True for a content with only text and thoughts. */
export function isSpoken({ parts = [] }: AssistantEntry): boolean {
  const isSaid = ({ wire }: Part): boolean =>
    isRecord(wire) && wire["thought"] !== true && typeof wire["text"] === "string" && wire["text"].trim() !== "";
  return parts.some(isSaid) && parts.every(({ wire }) => isRecord(wire) && typeof wire["text"] === "string");
}

/**
 * A turn with calls directly follows a user turn, and its responses directly follow it: adjacent model contents are
 * merged.
 */
export function joinModelTurns(entries: readonly Entry[], { journal, joined }: Context): void {
  eachModelTurn(entries, (turn) => {
    const [first, ...others] = turn;
    if (first === undefined || others.length === 0 || !turn.some(({ calls }) => calls.length > 0)) return;
    first.fresh = true;
    for (const entry of others) {
      entry.fresh = true;
      joined.add(entry);
      const message = "A turn with function calls must directly follow a user turn, not another model turn.";
      journal.report({ rule: "role-order", from: pathOf(entry), message }, { type: "merge", entry });
    }
  });
}

/** Calls cannot start a history, so a user turn is inserted. */
export function leadIn(entries: readonly Entry[], { journal, policy }: Context): readonly Entry[] {
  const start = entries.findIndex(({ role }) => role !== "system");
  const first = entries[start];
  if (first?.role !== "assistant") return entries;
  let turn: readonly AssistantEntry[] = [];
  eachModelTurn(entries.slice(start), (each, at) => {
    if (at === 0) turn = each;
  });
  if (!turn.some(({ calls }) => calls.length > 0)) return entries;
  const user = makeUser([textContent(continued[policy.language])]);
  const message = "A turn with function calls must directly follow a user turn; it cannot be the first.";
  journal.report({ rule: "role-order", from: pathOf(first), message }, { type: "insert", entry: user });
  return entries.toSpliced(start, 0, user);
}

/** Visits the runs of model entries, with the index of each. */
export function eachModelTurn(
  entries: readonly Entry[],
  visit: (turn: readonly AssistantEntry[], start: number) => void,
): void {
  for (let i = 0; i < entries.length; i++) {
    const turn: AssistantEntry[] = [];
    const start = i;
    for (let entry = entries[i]; entry?.role === "assistant"; entry = entries[++i]) turn.push(entry);
    if (turn.length > 0) visit(turn, start);
  }
}

/** Merges the responses of a turn into one content. */
export function joinResponses(entries: readonly Entry[], dialect: Dialect, { journal }: Context): void {
  for (let i = 0; i < entries.length; i++) {
    const block: ResultEntry[] = [];
    for (let entry = entries[i]; entry?.role === "result"; entry = entries[++i]) block.push(entry);
    const home = block[0]?.source;
    if (block.every(({ source, regrouped }) => source === home && !regrouped)) continue;
    const isSplit = block.every(({ regrouped }) => !regrouped);
    for (const entry of block) {
      entry.regrouped = true;
      if (!isSplit || entry.source === home) continue;
      const message = "The function responses of one turn are spread over several contents.";
      journal.report({ rule: "split-results", from: dialect.from(entry), message }, { type: "merge", entry });
    }
  }
}

/** Reports parts that move to a separate turn because the responses beside them are rewritten. */
export function reportParted(entries: readonly Entry[], { journal, model, origins }: Context): void {
  entries.forEach((entry, index) => {
    const { source, parts } = entry;
    if (entry.role !== "user" || source === undefined || !isBesideResponses(source)) return;
    if (origins.has(source)) return; // reported when it was converted
    if (wholeMessage(entries, index + 1 - source.entries) === source.entries) return;
    const first = firstIn(source.mended);
    for (const { place, wire } of parts ?? []) {
      const isReported = model.refusesMixedTurns && isRecord(wire) && "text" in wire && place > first;
      if (isReported) continue;
      const finding: Finding = {
        rule: "text-with-call",
        from: `contents[${source.index}].parts[${place}]`,
        message: "The content contains other parts beside function responses.",
      };
      journal.edit(finding, { type: "move", source, suffix: `.parts[${place}]`, part: { place, tail: "" } });
    }
  });
}

const isBesideResponses = ({ mended }: Source): boolean => firstIn(mended) >= 0;

function firstIn(content: unknown): number {
  const parts = isRecord(content) ? content["parts"] : undefined;
  if (!Array.isArray(parts)) return -1;
  return parts.findIndex((part) => isRecord(part) && ("functionResponse" in part || "function_response" in part));
}

/** Adds a user turn for models that do not continue a model turn. */
export function closeTurn(entries: readonly Entry[], { model, journal, policy }: Context): readonly Entry[] {
  const last = entries.findLast(({ role }) => role !== "system");
  if (!model.endsWithUser || last?.role !== "assistant") return entries;
  const turn = entries.slice(entries.findLastIndex(({ role }) => role !== "assistant" && role !== "system") + 1);
  const isOpen = (entry: Entry): boolean => entry.role === "assistant" && entry.calls.some(({ result }) => !result);
  if (turn.some(isOpen)) return entries; // the caller will add the results
  const user = makeUser([textContent(continued[policy.language])]);
  const message = "The model does not continue a model turn; the history must end with a user turn.";
  journal.report({ rule: "last-message", from: pathOf(last), message }, { type: "insert", entry: user });
  return [...entries, user];
}

/** A user turn for a history that is empty after a repair, because every request requires one. */
export function neededTurn({ policy, journal }: Context): Entry {
  const user = makeUser([textContent(continued[policy.language])]);
  const finding = { rule: "no-messages" as const, from: undefined, message: "No valid message is left." };
  journal.edit(finding, { type: "insert", entry: user });
  return user;
}

const pathOf = ({ source }: Entry): string | undefined => source && `contents[${source.index}]`;
