import { isDeepStrictEqual } from "node:util";

import { project } from "../../packages/undangle/src/engine/index.ts";
import type { Ledger, LedgerCall, ToolCallEnd } from "../../packages/undangle/src/engine/index.ts";
import type { Message } from "../../packages/undangle/src/codecs/index.ts";
import { brokenCallLaws } from "./call-laws.ts";
import type { ThreadLine } from "./diary.ts";
import type { Snapshot } from "./snapshot.ts";
import { filePath, mayRunTwice, writingTools } from "./watched-tools.ts";

/** What must hold of a thread, given how the process before had left it and what was written down; what does not is told. */
export function brokenLaws(before: Snapshot, after: Snapshot, diary: readonly ThreadLine[]): readonly string[] {
  const ofCalls = after.calls.flatMap(({ value: call }) =>
    brokenCallLaws({
      call,
      starts: diary.flatMap((line) => (line.type === "start" && line.call === call.id ? [line] : [])),
      ends: diary.flatMap((line) => (line.type === "end" && line.call === call.id ? [line] : [])),
      decisions: diary.flatMap((line) => (line.type === "decide" && line.call === call.id ? [line.decision] : [])),
    }),
  );
  return [
    ...ofCalls,
    ...unknownStarts(after, diary),
    ...takenBack(after, diary),
    ...brokenStoreLaws(before, after),
    ...wrongFiles(after),
  ];
}

/** What must hold of a thread, whatever its tools are. */
export const brokenStoreLaws = (before: Snapshot, after: Snapshot): readonly string[] => [
  ...lost(before, after),
  ...wrongEvents(after),
  ...wrongHead(before, after),
];

/** The history that a model would get of what is stored, with nothing done about it. */
export function storedHistory({ entries, calls }: Snapshot): readonly Message[] {
  return entries.flatMap((entry, index) =>
    project(
      { entry, calls: calls.flatMap((call) => (call.entry === index ? [call.value] : [])) },
      { language: "en", longestResult: 400_000 },
    ),
  );
}

function* unknownStarts({ calls }: Snapshot, diary: readonly ThreadLine[]): Generator<string> {
  const known = new Set(calls.map(({ value }) => value.id));
  for (const line of diary) {
    if (line.type === "start" && !known.has(line.call))
      yield `${line.call} (${line.tool}) ran, and the thread does not know it`;
  }
}

/** Nobody is told of an end that is not there afterwards. */
function* takenBack({ calls }: Snapshot, diary: readonly ThreadLine[]): Generator<string> {
  for (const line of diary) {
    if (line.type !== "heard") continue;
    const state = calls.find(({ value }) => value.id === line.call)?.value.state;
    if (state !== line.status) yield `${line.call} was told to be ${line.status}, and is ${state}`;
  }
}

const isOpen = ({ outcome }: LedgerCall): boolean => outcome === undefined;

/** Nobody has come by yet, or it is lost. */
const isLostOrLeft = (call: LedgerCall, now: LedgerCall): boolean =>
  now.state === "lost" || isDeepStrictEqual(call, now);

/** I3, and that nothing else is lost either: what was committed is there, letter by letter. */
function* lost(before: Snapshot, after: Snapshot): Generator<string> {
  if (!isDeepStrictEqual(before.entries, after.entries.slice(0, before.entries.length))) yield "entries have changed";
  if (!isDeepStrictEqual(before.events, after.events.slice(0, before.events.length))) yield "events have changed";
  for (const { value: call, ...place } of before.calls) {
    const now = after.calls.find((each) => each.entry === place.entry && each.place === place.place)?.value;
    if (now === undefined) yield `${call.id} is gone`;
    else if (!isOpen(call) && !isDeepStrictEqual(call, now)) yield `I3: the result of ${call.id} was replaced`;
    else if (call.state === "running" && !mayRunTwice.has(call.name) && !isLostOrLeft(call, now))
      yield `${call.id} was running when its process died, and is ${now.state}`;
    else if (now.id !== call.id || now.providerId !== call.providerId) yield `${call.id} has another id`;
    else if (call.decision !== undefined && !isDeepStrictEqual(call.decision, now.decision))
      yield `the decision about ${call.id} was replaced`;
    else if (call.raw !== now.raw && now.decision?.type !== "edit") yield `the arguments of ${call.id} have changed`;
  }
  for (const entry of ledgerOf(before)?.queue ?? []) {
    const kept = [...after.entries, ...(ledgerOf(after)?.queue ?? [])];
    if (!kept.some((each) => isDeepStrictEqual(each, entry))) yield "a message that waited is gone";
  }
}

/** They are numbered without gaps, and tell of the end of every call and every run once. */
function* wrongEvents({ head, calls, events }: Snapshot): Generator<string> {
  if (events.some(({ seq }, index) => seq !== index + 1)) yield "the events have gaps";
  if ((head?.lastEvent ?? 0) !== events.length) yield `the last event is not number ${head?.lastEvent}`;
  const ends = events.flatMap(({ type, data }) => (type === "tool_call_end" ? [data as ToolCallEnd] : [])); // the engine wrote it
  const runs = (type: string): readonly string[] =>
    events.flatMap((each) => (each.type === type ? [String(Reflect.get(Object(each.data), "runId"))] : []));
  for (const { value: call } of calls) {
    const told = ends.filter(({ id }) => id === call.id);
    if (told.length !== (isOpen(call) ? 0 : 1))
      yield `${call.id} is ${call.state}, and has ${told.length} tool_call_end`;
    if (told[0] !== undefined && told[0].status !== call.state)
      yield `${call.id} is ${call.state}, and told as ${told[0].status}`;
  }
  if (ends.length > calls.filter(({ value }) => !isOpen(value)).length) yield "there is a tool_call_end of no call";
  const [begun, over] = [runs("run_start"), runs("run_end")];
  const open = head?.owner === undefined ? 0 : 1;
  if (new Set(begun).size !== begun.length || new Set(over).size !== over.length) yield "a run began or ended twice";
  if (begun.length - over.length !== open)
    yield `${begun.length} runs began, ${over.length} ended, and ${open} goes on`;
}

/** A file is there exactly when the result of its call is, and says the same. */
function* wrongFiles({ calls, files }: Snapshot): Generator<string> {
  const left = new Map(files);
  for (const { value: call } of calls) {
    if (!writingTools.has(call.name)) continue;
    const text = left.get(filePath(call.id));
    left.delete(filePath(call.id));
    const result = call.state === "succeeded" ? textOf(call) : undefined;
    if (text !== result) yield `${call.id} is ${call.state}, and its file contains ${text}`;
  }
  if (left.size > 0) yield `there are files of no call: ${[...left.keys()].join(", ")}`;
}

const textOf = ({ outcome }: LedgerCall): string | undefined =>
  outcome?.type === "result"
    ? outcome.parts.map((part) => (part.type === "text" ? part.text : "")).join("")
    : undefined;

/** I7, and that only the last answer has open calls. */
function* wrongHead(before: Snapshot, after: Snapshot): Generator<string> {
  const { head, entries, calls } = after;
  if (head === undefined) {
    if (before.head !== undefined) yield "the thread is gone";
    return;
  }
  const { version, epoch } = before.head ?? { version: 0, epoch: 0 };
  if (head.version < version || head.epoch < epoch) yield "I7: an earlier writer has written";
  if (head.entries !== entries.length) yield `there are ${entries.length} entries, and the head says ${head.entries}`;
  const ledger = ledgerOf(after);
  if ((ledger?.run === undefined) !== (head.owner === undefined))
    yield "somebody owns a thread that does not run, or nobody one that does";
  const last = entries.length - 1;
  const open = calls.filter(({ value }) => isOpen(value));
  const forgotten = calls.filter(
    ({ value }) => value.name === "note" && value.state === "succeeded" && ledger?.state[value.id] === undefined,
  );
  if (forgotten.length > 0) yield `what ${forgotten.map(({ value }) => value.id).join()} kept in the thread is gone`;
  if (open.some(({ entry }) => entry !== last)) yield "calls are open before the last entry";
  if ((ledger?.turn === undefined) !== (open.length === 0)) yield "the head does not know of the open calls";
}

/** The ledger as the head has it: with the number of its open turn. */
const ledgerOf = ({ head }: Snapshot) => head?.data as (Omit<Ledger, "turn"> & { readonly turn?: number }) | undefined; // a ledger wrote it

/** It is the model's turn; after somebody has stopped the run that is all right. */
export const notAsked = "the model was not asked";

/** What must hold when a thread rests, beside what always must. */
export function* unrest(after: Snapshot): Generator<string> {
  if (after.head === undefined) return; // nobody has said anything yet
  const ledger = ledgerOf(after);
  const open = after.calls.filter(({ value }) => isOpen(value)).map(({ value }) => `${value.id} is ${value.state}`);
  if (open.length > 0) yield `calls are open: ${open.join(", ")}`;
  if (after.head.owner !== undefined || after.head.status !== "idle") yield `it is ${after.head.status}`;
  if (ledger?.isAsking === true) yield notAsked;
  if (ledger !== undefined && ledger.queue.length > 0) yield "messages are waiting";
}
