import { createJournal, pair } from "#core";
import type { Edit, Entry, Journal, JsonObject, Means, Policy, Problem } from "#core";

import type { Codec, Range, Reading, Request } from "./codec.ts";
import { plainList } from "./plain-list.ts";
import type { PlainList } from "./plain-list.ts";
import { createUnread, hasSameEdges, joinNeighbours, readSuspects, writeSuspects } from "./suspects.ts";

/** A repaired request. The list is the same reference if nothing changed. */
export interface Mended {
  readonly list: readonly unknown[];
  /** The keys of the body with new values. */
  readonly body: JsonObject | undefined;
  readonly edits: readonly Edit[];
  /** All problems, repaired or not. */
  readonly problems: () => readonly Problem[];
  /** True if no problem remains. Only open turns got results. */
  readonly isHealthy: boolean;
}

const nothing: readonly never[] = [];
const none = (): readonly never[] => nothing;

/**
 * Runs all rules of a format on a request. Detection and repair are one pass, so that every repairable problem is
 * repaired and nothing else changes. Messages that a first check finds valid are skipped, unless the rest depends on
 * them.
 */
export function mend(codec: Codec, request: Request, policy: Policy): Mended {
  const { list } = request;
  const profile = codec.profile(request);
  const suspects = codec.survey(request, profile);
  if (suspects.length === 0) return { list, body: undefined, edits: nothing, problems: none, isHealthy: true };
  const ranges = joinNeighbours(suspects);
  const plain = plainList(list, ranges, codec);
  const read = plain.list === list ? request : { ...request, list: plain.list };
  const open = (): Task => {
    const journal = createJournal({ format: codec.format, provider: request.provider, listKey: codec.listKey });
    return { codec, list, policy, journal, reading: codec.open(read, profile, policy, journal) };
  };
  // The caller's generator runs once per notice, so it must not run before it is clear which messages are read.
  if (!plain.isOdd && !policy.hasOwnNotice) {
    const areOpen = policy.danglingAtEnd === "answer" && suspects.every(({ isOpen }) => isOpen);
    const mended = areOpen ? answerTurns(open(), suspects) : mendRanges(open(), ranges);
    if (mended !== undefined) return mended;
  }
  const task = open();
  if (list.length === 0) {
    task.journal.report({ rule: "no-messages", from: codec.listKey, message: "There are no messages." });
  }
  return mendWhole(task, plain);
}

interface Task {
  readonly codec: Codec;
  readonly list: readonly unknown[];
  readonly policy: Policy;
  readonly journal: Journal;
  readonly reading: Reading;
}

function mendWhole({ list, policy, journal, reading }: Task, plain: PlainList): Mended {
  const means: Means = { dialect: reading.dialect, policy, journal, unread: undefined };
  const read = reading.read(0, list.length) ?? [];
  const entries = reading.prepare?.(read) ?? read;
  if (plain.unwrapped.size > 0) reportUnwrapped(entries, plain, journal);
  const settled = reading.settle(pair(entries, means) ?? entries); // defined, because no messages were skipped
  const body = reading.mendBody(settled);
  if (!journal.changed())
    return { list, body: undefined, edits: nothing, problems: journal.problems, isHealthy: false };
  const written: unknown[] = [];
  reading.write(settled, written);
  journal.close(reading.dialect, { input: list, output: written });
  return { list: written, body, edits: journal.edits(), problems: journal.problems, isHealthy: false };
}

/** Reports values that were unwrapped from a list or JSON text. */
function reportUnwrapped(entries: readonly Entry[], { unwrapped }: PlainList, journal: Journal): void {
  const reported = new Set<number>();
  for (const { source } of entries) {
    if (source === undefined || reported.has(source.index)) continue;
    reported.add(source.index);
    for (const { suffix, rule, part } of unwrapped.get(source.index) ?? []) {
      const message = `${suffix === "" ? "The message" : suffix.slice(1)} is JSON text, or a list with one element, instead of an object.`;
      journal.note({ source, suffix, ...(part && { part }) }, { rule, message }, { type: "rewrite" });
    }
  }
}

/** Repairs only the suspects; undefined if they depend on the messages around them. */
function mendRanges({ codec, list, policy, journal, reading }: Task, ranges: readonly Range[]): Mended | undefined {
  if (ranges[0]?.start === 0 && ranges[0].end === list.length) return undefined;
  const read = readSuspects(list, ranges, reading);
  if (read === undefined) return undefined;
  const unread = createUnread(list, read, codec);
  const paired = pair(read.entries, { dialect: reading.dialect, policy, journal, unread });
  if (paired === undefined) return undefined;
  const settled = reading.settle(paired);
  if (reading.dialect.mergesTurns && !hasSameEdges(read.entries, settled)) return undefined;
  if (!journal.changed())
    return { list, body: undefined, edits: nothing, problems: journal.problems, isHealthy: false };
  const written = writeSuspects(list, settled, read, reading);
  journal.close(reading.dialect, { input: list, output: written });
  return { list: written, body: undefined, edits: journal.edits(), problems: journal.problems, isHealthy: false };
}

/** Adds results to turns that only lack some. */
function answerTurns({ list, journal, reading }: Task, turns: readonly Range[]): Mended {
  const written: unknown[] = [];
  let next = 0;
  for (const turn of turns) {
    for (; next < turn.start; next++) written.push(list[next]);
    next = turn.end;
    reading.answer(turn, written);
  }
  for (; next < list.length; next++) written.push(list[next]);
  return { list: written, body: undefined, edits: journal.edits(), problems: journal.problems, isHealthy: true };
}
