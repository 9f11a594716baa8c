import { createIdTable, createJournal, pair } from "#core";
import type { Edit, Entry, Journal, JsonObject, Means, Policy, Problem } from "#core";

import type { Codec, Reading, Request, Survey } from "./codec.ts";
import { plainList } from "./plain-list.ts";
import type { PlainList } from "./plain-list.ts";

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
  const survey = codec.survey(request, profile);
  if (survey.suspects.length === 0) return { list, body: undefined, edits: nothing, problems: none, isHealthy: true };
  const plain = plainList(list, survey.suspects, codec);
  const read = plain.list === list ? request : { ...request, list: plain.list };
  const open = (): Task => {
    const journal = createJournal({ format: codec.format, provider: request.provider, listKey: codec.listKey });
    return { list, policy, journal, reading: codec.open(read, profile, policy, journal) };
  };
  const [first] = survey.suspects;
  const isWhole = plain.isOdd || (first?.start === 0 && first.end === list.length && !first.isOpen);
  // The caller's generator runs once per notice, so it must not run before it is clear which messages are read.
  const mended = isWhole || policy.hasOwnNotice ? undefined : mendSuspects(open(), survey);
  if (mended !== undefined) return mended;
  const task = open();
  if (list.length === 0) {
    task.journal.report({ rule: "no-messages", from: codec.listKey, message: "There are no messages." });
  }
  return mendWhole(task, plain);
}

interface Task {
  readonly list: readonly unknown[];
  readonly policy: Policy;
  readonly journal: Journal;
  readonly reading: Reading;
}

function mendWhole({ list, policy, journal, reading }: Task, plain: PlainList): Mended {
  const means: Means = { dialect: reading.dialect, policy, journal, spanIds: undefined };
  const entries = reading.read(0, list.length) ?? [];
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

/** Repairs the suspects one after another; undefined if one of them needs the whole list. */
function mendSuspects({ list, policy, journal, reading }: Task, { suspects, ids }: Survey): Mended | undefined {
  const means: Means = { dialect: reading.dialect, policy, journal, spanIds: ids ?? createIdTable() };
  const written: unknown[] = [];
  let next = 0;
  let isHealthy = true;
  for (const suspect of suspects) {
    for (; next < suspect.start; next++) written.push(list[next]);
    next = suspect.end;
    if (suspect.isOpen && policy.danglingAtEnd === "answer") {
      reading.answer(suspect, written);
      continue;
    }
    isHealthy = false;
    const entries = reading.read(suspect.start, suspect.end);
    const paired = entries && pair(entries, means);
    if (paired === undefined) return undefined;
    reading.write(reading.settle(paired), written);
    journal.close(reading.dialect, { input: list, output: written });
  }
  if (!journal.changed())
    return { list, body: undefined, edits: nothing, problems: journal.problems, isHealthy: false };
  for (; next < list.length; next++) written.push(list[next]);
  return { list: written, body: undefined, edits: journal.edits(), problems: journal.problems, isHealthy };
}
