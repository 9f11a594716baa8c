import { isRecord, UndangleError } from "#core";

import { isSettled } from "../ledger/call.ts";
import type { LedgerCall } from "../ledger/call.ts";
import type { Entry, InputEntry } from "../ledger/entry.ts";
import { project } from "../ledger/project.ts";
import type { Recorded } from "../ledger/project.ts";
import { isMessage } from "../run/is-message.ts";
import { changesAnswers } from "../run/retraction.ts";

/** A whole thread as JSON, which another store can take over: nothing of it is left out, but for what was allowed in it. */
export interface PortableThread {
  /** Says what this is, and in which version of its form. */
  readonly undangle: 1;
  readonly id: string;
  readonly entries: readonly { readonly entry: unknown; readonly calls: readonly unknown[] }[];
  readonly state: Readonly<Record<string, unknown>>;
  /** What was said while calls were open, and waits for them. */
  readonly queue: readonly unknown[];
  /** What the program has noted of it, where it has. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** True for what `thread.export()` gives. */
export const isPortable = (input: unknown): input is Readonly<Record<string, unknown>> =>
  isRecord(input) && "undangle" in input;

const entryTypes: ReadonlySet<unknown> = new Set<Entry["type"]>([
  "input",
  "answer",
  "system",
  "original",
  "retract",
  "restore",
]);

/** The entries of a thread that was exported, and what its tools have kept. */
export function readPortable(input: Readonly<Record<string, unknown>>): {
  readonly recorded: readonly Recorded[];
  readonly state: Readonly<Record<string, unknown>>;
  readonly queue: readonly InputEntry[];
  readonly meta: Readonly<Record<string, unknown>>;
} {
  const { undangle: version, entries, state = {}, queue = [], meta = {} } = input;
  const fault = (option: string, value: unknown, allowed: string): UndangleError =>
    new UndangleError("options/value", { option, value, allowed: [allowed] });
  if (version !== 1) throw fault("undangle", version, "1: a later version of undangle can read it");
  if (!Array.isArray(entries)) throw fault("entries", entries, "a list");
  if (!isRecord(state)) throw fault("state", state, "an object");
  if (!isRecord(meta)) throw fault("meta", meta, "an object");
  if (!Array.isArray(queue) || !queue.every(isInput)) throw fault("queue", queue, "a list of messages");
  const recorded = entries.map((each: unknown, i): Recorded => {
    const { entry, calls } = isRecord(each) ? each : {};
    if (!isRecord(entry) || !entryTypes.has(entry["type"])) throw fault(`entries[${i}].entry`, entry, "an entry");
    if (!Array.isArray(calls) || !calls.every(isCall)) throw fault(`entries[${i}].calls`, calls, "a list of calls");
    const read = { entry: entry as unknown as Entry, calls }; // its kind is known, and what it holds is JSON
    const problem = problemOf(read, { number: i, isLast: i === entries.length - 1 });
    if (problem !== undefined) throw fault(`entries[${i}]`, entry, problem);
    return read;
  });
  recorded.forEach(({ entry }, i) => {
    if (entry.type === "restore" && !canRestore(recorded.slice(0, i), entry.retraction))
      throw fault(`entries[${i}]`, entry, "the number of a retraction before it that still holds");
  });
  const ids = recorded.flatMap(({ calls }) => calls.map(({ id }) => id));
  if (new Set(ids).size < ids.length) throw fault("entries", ids, "calls with ids of their own");
  return { recorded, state, queue, meta };
}

/** What a thread could not go on with; undefined when there is no such thing. */
function problemOf(
  { entry, calls }: Recorded,
  { number, isLast }: { readonly number: number; readonly isLast: boolean },
): string | undefined {
  if (calls.length > 0 && entry.type !== "answer") return "calls in an answer only";
  if (entry.type === "retract" && !(Number.isInteger(entry.from) && entry.from >= 0 && entry.from < number))
    return "a retraction of an entry before it";
  if (!isLast && !calls.every(isSettled)) return "calls that are settled, but for the last answer";
  for (const { state, raw, gate } of calls) {
    if (state === "awaiting" && (!isJson(raw) || !isRecord(gate) || !Array.isArray(gate.decisions)))
      return "calls that wait, with whole arguments and what may be decided";
  }
  try {
    const isFine = project({ entry, calls }, { language: "en", longestResult: 1 }).every(isMessage);
    return isFine ? undefined : untold;
  } catch {
    return untold;
  }
}

/** True for the last retraction, as long as no answer has come behind it. */
function canRestore(before: readonly Recorded[], retraction: number): boolean {
  const [first, ...rest] = Number.isInteger(retraction) && retraction >= 0 ? before.slice(retraction) : [];
  return first?.entry.type === "retract" && !rest.some(({ entry: { type } }) => changesAnswers.has(type));
}

const untold = "an entry that can be told to a model";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // the caller says so
  }
}

const isInput = (value: unknown): value is InputEntry =>
  isRecord(value) && value["type"] === "input" && Array.isArray(value["parts"]);

const isCall = (value: unknown): value is LedgerCall =>
  isRecord(value) &&
  ["id", "providerId", "name", "raw", "state"].every((key) => typeof value[key] === "string") &&
  typeof value["attempts"] === "number";
