import type { Head } from "#store";

import type { LedgerCall } from "../ledger/call.ts";
import { entryText } from "../ledger/entry.ts";
import type { Entry } from "../ledger/entry.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { importEndingOf } from "../ledger/recorded.ts";
import type { StoredJournal } from "./thread-journal.ts";

/** The ledger in the head of a thread, without its calls, which are separate rows. */
type StoredLedger = Omit<Ledger, "turn" | "ending" | "isOwing" | "allowed" | "meta" | "mode"> & {
  readonly turn?: number;
  readonly mode?: NonNullable<Ledger["mode"]>;
  readonly isOwing?: true;
  readonly allowed?: Ledger["allowed"];
  readonly meta?: Ledger["meta"];
};

/** The parent of a thread, without reading its entries. */
export const parentOf = ({ data }: Head): Ledger["parent"] => (data as StoredLedger | undefined)?.parent; // written by `headOf`

/** The tokens of a thread and its children, without reading the entries. */
export const usageOfHead = ({ data }: Head): Ledger["usage"] => (data as StoredLedger).usage; // written by `headOf`

/** The messages that wait for open calls, without reading the entries. */
export const queueOf = ({ data }: Head): Ledger["queue"] => (data as StoredLedger).queue; // written by `headOf`

/** True while the model may be responding, without reading the entries. */
export const isAnswering = ({ data }: Head): boolean => {
  const { run, isAsking } = data as StoredLedger; // written by `headOf`
  return run !== undefined && isAsking;
};

/** The head of a thread with this ledger. */
export function headOf(
  ledger: Ledger,
  { epoch, owner, title }: Pick<Head, "epoch" | "title"> & { readonly owner: string },
): Head {
  const { key, entries, calls, turn, isAsking, queue, run, mode, isOwing, usage, state, allowed, meta, parent } =
    ledger;
  const most = { key, entries, calls, isAsking, queue, usage, state, run, ...(mode !== undefined && { mode }) };
  const more = allowed.length === 0 ? most : { ...most, allowed }; // omitted if empty, because few threads have allowances
  const rest = Object.keys(meta).length === 0 ? more : { ...more, meta };
  const whole: StoredLedger = turn === undefined ? rest : { ...rest, turn: turn.entry };
  const owing: StoredLedger = isOwing ? { ...whole, isOwing } : whole;
  const data: StoredLedger = parent === undefined ? owing : { ...owing, parent };
  const isActive = run !== undefined || isOwing; // the thread must be resumed, even if its owner dies
  return {
    epoch,
    owner: isActive ? owner : undefined,
    status: isActive ? "running" : turn !== undefined ? "waiting" : "idle",
    deadline: turn === undefined ? undefined : firstDeadline(turn.calls),
    title,
    ...(parent !== undefined && { parent: parent.thread }),
    data,
  };
}

/** Restores the ledger from a head. */
export function ledgerOf({ head, recorded }: StoredJournal): Ledger {
  const { turn, run, mode, isOwing = false, allowed = [], meta = {}, ...rest } = head.data as StoredLedger; // written by `headOf`
  const calls = turn === undefined ? undefined : recorded[turn]?.calls;
  const open = turn === undefined || calls === undefined ? undefined : { entry: turn, calls };
  return { ...rest, run, mode, isOwing, allowed, meta, turn: open, ending: importEndingOf(recorded) };
}

/** The mode of the last run, without reading the entries. */
export const modeOf = ({ data }: Head): Ledger["mode"] => (data as StoredLedger | undefined)?.mode; // written by `headOf`

/** The metadata of a thread, without reading its entries. */
export const metaOf = ({ data }: Head): Ledger["meta"] => (data as StoredLedger | undefined)?.meta ?? {}; // written by `headOf`

/** True if the thread has allowances of its own, without reading its entries. */
export const hasAllowances = ({ data }: Head): boolean =>
  ((data as StoredLedger | undefined)?.allowed ?? []).length > 0; // written by `headOf`

/** The earliest expiry of an approval, in this thread or in a child that waits. */
export function firstDeadline(calls: readonly LedgerCall[]): number | undefined {
  let first: number | undefined;
  for (const call of calls) {
    const deadline = deadlineOf(call);
    if (deadline !== undefined) first = Math.min(deadline, first ?? Infinity);
  }
  return first;
}

/** When an approval that a call waits for expires. */
export function deadlineOf({ state, gate, child }: LedgerCall): number | undefined {
  if (state === "awaiting") return gate?.deadline;
  if (state !== "delegated") return undefined;
  const first = Math.min(...(child?.pending ?? []).map(({ deadline }) => deadline ?? Infinity));
  return first === Infinity ? undefined : first;
}

const longestTitle = 80;

/** The beginning of the first message. */
export function titleOf(entry: Entry): string | undefined {
  const text = entryText(entry).trim().replaceAll(/\s+/g, " ");
  if (entry.type !== "input" || text === "") return undefined;
  return text.length > longestTitle ? `${text.slice(0, longestTitle - 1).toWellFormed()}…` : text;
}
