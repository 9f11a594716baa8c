import { isRecord, UndangleError } from "#core";

import type { LedgerCall } from "../ledger/call.ts";
import type { Entry } from "../ledger/entry.ts";
import type { Recorded } from "../ledger/project.ts";

/** A whole thread as JSON, which another store can take over: nothing of it is left out, but for what was allowed in it. */
export interface PortableThread {
  /** Says what this is, and in which version of its form. */
  readonly undangle: 1;
  readonly id: string;
  readonly entries: readonly { readonly entry: unknown; readonly calls: readonly unknown[] }[];
  readonly state: Readonly<Record<string, unknown>>;
}

/** True for what `thread.export()` gives. */
export const isPortable = (input: unknown): input is Readonly<Record<string, unknown>> =>
  isRecord(input) && "undangle" in input;

const entryTypes: ReadonlySet<unknown> = new Set<Entry["type"]>(["input", "answer", "system", "original", "retract"]);

/** The entries of a thread that was exported, and what its tools have kept. */
export function readPortable(input: Readonly<Record<string, unknown>>): {
  readonly recorded: readonly Recorded[];
  readonly state: Readonly<Record<string, unknown>>;
} {
  const { undangle: version, entries, state = {} } = input;
  const fault = (option: string, value: unknown, allowed: string): UndangleError =>
    new UndangleError("options/value", { option, value, allowed: [allowed] });
  if (version !== 1) throw fault("undangle", version, "1: a later version of undangle can read it");
  if (!Array.isArray(entries)) throw fault("entries", entries, "a list");
  if (!isRecord(state)) throw fault("state", state, "an object");
  const recorded = entries.map((each: unknown, i): Recorded => {
    const { entry, calls } = isRecord(each) ? each : {};
    if (!isRecord(entry) || !entryTypes.has(entry["type"])) throw fault(`entries[${i}].entry`, entry, "an entry");
    if (!Array.isArray(calls) || !calls.every(isCall)) throw fault(`entries[${i}].calls`, calls, "a list of calls");
    return { entry: entry as unknown as Entry, calls }; // its kind is known, and what it holds is JSON
  });
  return { recorded, state };
}

const isCall = (value: unknown): value is LedgerCall =>
  isRecord(value) &&
  ["id", "providerId", "name", "raw", "state"].every((key) => typeof value[key] === "string") &&
  typeof value["attempts"] === "number";
