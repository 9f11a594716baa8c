import type { Means } from "../dialect.ts";
import { textContent } from "../history.ts";
import type { Call, Content, Entry, ResultEntry } from "../history.ts";
import { isRecord } from "../json.ts";
import { isNotice } from "../notices.ts";
import { describeResult } from "./describe.ts";
import type { Matching } from "./match.ts";
import type { Turn } from "./turns.ts";

/** Keeps one result per call: equal results become one, different ones are merged, or the last is kept. */
export function settleExtras({ extras }: Matching, means: Means): void {
  for (const [call, others] of extras) settleCall(call, others, means);
}

function settleCall(call: Call, others: readonly ResultEntry[], { dialect, policy, journal }: Means): void {
  let kept = call.result;
  if (kept === undefined) return;
  let content: Content[] = [...dialect.contentOf(kept)];
  const said = new Set([textOf(content)]);
  let isMerged = false;
  let isPlaceholder = isOurs(content, call);
  for (const other of others) {
    const more = dialect.contentOf(other);
    const finding = {
      rule: "duplicate-result" as const,
      from: dialect.from(other),
      message: `${describeResult(other)} is not the only one for its call.`,
      callId: call.id,
    };
    if (said.has(textOf(more)) || isOurs(more, call)) {
      journal.report(finding, { type: "remove", lossless: !saysMore(other, kept) });
    } else if (isPlaceholder || policy.duplicates === "last") {
      const change = { type: "remove" as const, lossless: isPlaceholder };
      journal.report({ ...finding, from: dialect.from(kept) }, change);
      kept = other;
      content = [...more];
      isPlaceholder = false;
    } else {
      append(content, more);
      isMerged = true;
      journal.report(finding, { type: "merge", entry: kept, lossless: !saysMore(other, kept) });
    }
    said.add(textOf(more));
  }
  if (isMerged) {
    kept.content = content;
    kept.fresh = true;
  }
  call.result = kept;
}

/** Removes results that repeat the result of a call elsewhere in the history. */
export function settleRepeats(entries: readonly Entry[], { turns, orphans }: Matching, means: Means): void {
  if (orphans.size === 0) return;
  const { optional = false } = means.dialect.profile.ids;
  const wanted = new Set(Array.from(orphans, (orphan) => keyOf(orphan, optional)));
  const answered = new Map<string, { readonly call: Call; readonly turn: Turn }[]>();
  for (const turn of turns) {
    for (const call of turn.calls) {
      if (call.result === undefined) continue;
      for (const key of optional ? [keyOf(call, true), nameKey(call)] : [call.id]) {
        if (key === "" || !wanted.has(key)) continue;
        const same = answered.get(key);
        if (same === undefined) answered.set(key, [{ call, turn }]);
        else if (same.at(-1)?.call !== call) same.push({ call, turn });
      }
    }
  }
  if (answered.size === 0) return;
  const passed = new Map<string, number>();
  const sayingOf = createSayings(means);
  entries.forEach((entry, index) => {
    if (entry.role !== "result" || !orphans.has(entry)) return;
    const key = keyOf(entry, optional);
    const calls = answered.get(key);
    if (calls === undefined) return;
    let next = passed.get(key) ?? 0;
    while ((calls[next]?.turn.end ?? Infinity) <= index) next++;
    passed.set(key, next);
    const near = calls[next - 1] ?? (entry.id === "" ? undefined : calls[next]);
    // A name alone does not make a copy. Such a result only replaces a notice.
    const isHeld = near?.call.result !== undefined && sayingOf(near.call.result).isOurs(near.call);
    if (near !== undefined && (entry.id !== "" || isHeld)) settleRepeat(near, entry, { orphans, sayingOf }, means);
  });
}

/** The common key of a call and its result: an id, or a name if ids are optional and missing. */
const keyOf = (side: Call | ResultEntry, optional: boolean): string =>
  side.id === "" && optional ? nameKey(side) : side.id;

const nameKey = ({ name }: Call | ResultEntry): string => (name === "" ? "" : `\u0000${name}`);

function settleRepeat(
  { call, turn }: { readonly call: Call; readonly turn: Turn },
  repeat: ResultEntry,
  { orphans, sayingOf }: { readonly orphans: Set<ResultEntry>; readonly sayingOf: Sayings },
  { dialect, journal }: Means,
): void {
  if (call.result === undefined) return;
  const kept = sayingOf(call.result);
  const again = sayingOf(repeat);
  const finding = {
    rule: "duplicate-result" as const,
    from: dialect.from(repeat),
    message: `${describeResult(repeat)} is a second result for its call.`,
    callId: call.id,
  };
  if (kept.text === again.text || again.isOurs(call)) {
    orphans.delete(repeat);
    journal.report(finding, { type: "remove" });
  } else if (kept.isOurs(call)) {
    orphans.delete(repeat);
    call.result = repeat;
    turn.edited = true;
    journal.report(finding, { type: "move", entry: repeat });
  }
}

/** The text of a result. */
interface Saying {
  readonly text: string;
  isOurs(call: Call): boolean;
}

export type Sayings = (result: ResultEntry) => Saying;

/** Caches the texts of results, because thousands may be compared with one. */
export function createSayings({ dialect }: Means): Sayings {
  const sayings = new Map<ResultEntry, Saying>();
  return (result) => {
    const known = sayings.get(result);
    if (known !== undefined) return known;
    const content = dialect.contentOf(result);
    const saying: Saying = { text: textOf(content), isOurs: (call) => isOurs(content, call) };
    sayings.set(result, saying);
    return saying;
  };
}

/** True if one of two results can be removed without loss: they are equal, or one is a notice. */
export const sayTheSame = (call: Call, one: Saying, other: Saying): boolean =>
  one.text === other.text || one.isOurs(call) || other.isOurs(call);

/** True if a result has keys that the other lacks, such as an error flag or a cache marker. */
function saysMore(gone: ResultEntry, kept: ResultEntry): boolean {
  const [of, by] = [wireOf(gone), wireOf(kept)];
  if (!isRecord(of) || !isRecord(by)) return false;
  return gone.error !== kept.error || Object.keys(of).some((key) => !Object.hasOwn(by, key));
}

/** The removed value in an edit. */
const wireOf = ({ wire, source }: ResultEntry): unknown => wire ?? source?.wire;

/** The text for the comparison of two contents. */
function textOf(content: readonly Content[]): string {
  return JSON.stringify(content.map((part) => (part.type === "text" ? part.text : part.wire)));
}

function isOurs(content: readonly Content[], call: Call): boolean {
  const [only] = content;
  return content.length === 1 && only?.type === "text" && isNotice(only.text, call);
}

/** Appends content, with a blank line between adjacent texts. */
function append(content: Content[], more: readonly Content[]): void {
  const last = content.at(-1);
  const [first, ...rest] = more;
  if (last?.type !== "text" || first?.type !== "text" || hasExtras(last.wire) || hasExtras(first.wire)) {
    for (const part of more) content.push(part);
    return;
  }
  content.pop();
  const isBoth = last.text !== "" && first.text !== "";
  content.push(textContent(isBoth ? `${last.text}\n\n${first.text}` : last.text + first.text));
  for (const part of rest) content.push(part);
}

/** A text part with more than its text, such as a cache marker or a citation, stays separate. */
function hasExtras(wire: unknown): boolean {
  return typeof wire === "object" && wire !== null && Object.keys(wire).some((key) => key !== "type" && key !== "text");
}
