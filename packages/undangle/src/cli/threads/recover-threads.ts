import { errorText, UndangleError } from "#core";
import { defineMiddleware } from "#engine";
import type { Agent, AgentOptions, CallState, CallView, FoundThread, LedgerCall, RunEnd } from "#engine";

import { printable } from "../terminal/printable.ts";
import { nobody } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { missingTools } from "./missing-tools.ts";

/** `undangle threads recover`: settles interrupted calls, and reports the outcome of each. */
export async function recoverThreads(desk: Desk): Promise<number> {
  const { operands, options, texts, session } = desk;
  for (const id of operands) await desk.find(id);
  if (options.goOn === true && desk.resolve().modelOrigin === "demo") await session.remark(`${texts.demo}\n`);
  const records: Recovery[] = [];
  for (const thread of await inQuestion(desk)) records.push(await recoverThread(thread, desk));
  if (options.json === true) await session.out.write(`${JSON.stringify(records.map(asRecord))}\n`);
  else for (const record of records) await session.out.write(`${linesOf(record, desk).join("\n")}\n`);
  if (records.length === 0) await session.remark(`${texts.nothingLeft}\n`);
  if (options.goOn !== true && records.some(({ action }) => action === "leave"))
    await session.remark(`${texts.goOn}\n`);
  return records.some(({ error }) => error !== undefined) ? 1 : 0;
}

async function recoverThread(thread: FoundThread, desk: Desk): Promise<Recovery> {
  const goesOn = desk.options.goOn === true;
  const { name, options, model } = desk.resolve(thread);
  const settling = { ...idle, tools: options.tools, language: options.language, store: desk.store };
  const seen = await look(thread, desk.hire(settling), desk);
  if (seen.action === "at-work") return { ...seen, isDone: false };
  const tools = seen.ready.map((call) => call.name);
  const missing = goesOn ? missingTools(tools, options) : [];
  if (missing.length > 0)
    return { ...seen, action: "leave", isDone: false, error: desk.texts.unknownTools(missing, name) };
  const fault = goesOn ? model.checkKey?.() : undefined;
  if (fault !== undefined) return { ...seen, action: "leave", isDone: false, error: errorText(fault, desk.language) };
  if (tools.length > 0 && !goesOn) return { ...seen, action: "leave", isDone: false };
  return desk.options.dryRun === true ? { ...seen, isDone: false } : recover(seen, goesOn ? options : settling, desk);
}

/** The new state of a call. */
interface Change {
  readonly id: string;
  readonly name: string;
  readonly from: CallState;
  readonly to: CallState;
}

interface Seen {
  readonly id: string;
  /** `at-work`: a live process runs the thread; `leave`: its calls may still start. */
  readonly action: "settle" | "leave" | "at-work";
  readonly isCrash: boolean;
  /** Calls that may start, or start again. */
  readonly ready: readonly CallView[];
  readonly calls: readonly Change[];
}

interface Recovery extends Seen {
  readonly isDone: boolean;
  /** The status of a resumed run. */
  readonly status?: RunEnd["status"] | undefined;
  readonly error?: string | undefined;
}

/** Threads with an owner, and those with expired approvals. */
async function inQuestion({ operands, reader }: Desk): Promise<readonly FoundThread[]> {
  const owned = await reader.threads({ isOwned: true });
  const due = await reader.threads({ dueBefore: Date.now() + 1 });
  const all = new Map([...owned, ...due].map((thread): [string, FoundThread] => [thread.id, thread]));
  return [...all.values()].filter(({ id }) => operands.length === 0 || operands.includes(id));
}

/** Predicts a recovery without a change. */
async function look({ id, owner }: FoundThread, viewer: Agent, { store }: Desk): Promise<Seen> {
  const thread = viewer.thread(id);
  const seen = { id, isCrash: owner !== undefined };
  if (await isAtWork(viewer, id)) return { ...seen, action: "at-work", ready: [], calls: [] };
  const before = (await store.calls(id)).map(({ value }) => value as LedgerCall); // the engine writes this type
  const after = new Map((await thread.calls()).map((call): [string, CallView] => [call.id, call]));
  const calls = before.flatMap((call): readonly Change[] => {
    const { status } = after.get(call.id) ?? { status: call.state };
    return status === call.state ? [] : [{ id: call.id, name: call.name, from: call.state, to: status }];
  });
  const ready = [...after.values()].filter(({ status }) => status === "proposed" || status === "approved");
  return { ...seen, action: "settle", ready, calls };
}

/**
 * True if a live process runs the thread. No other process may write to it then, not even to revoke a missing
 * allowance.
 */
async function isAtWork(viewer: Agent, id: string): Promise<boolean> {
  try {
    await viewer.thread(id).revoke("");
    return false;
  } catch (error) {
    if (error instanceof UndangleError && error.is("allowance/unknown")) return false;
    if (error instanceof UndangleError && error.is("thread/owned")) return true;
    throw error;
  }
}

async function recover(seen: Seen, options: AgentOptions, desk: Desk): Promise<Recovery> {
  const agent = desk.hire(options);
  try {
    const end = await (await agent.thread(seen.id).recover())?.result;
    const failed = end?.status === "failed" ? errorText(end.error, desk.language) : undefined;
    return { ...seen, isDone: true, ...(desk.options.goOn === true && { status: end?.status }), error: failed };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ...seen, isDone: false, error: error.message };
  }
}

/** Ends a run at its start, so that only interrupted calls are settled. */
const idle = {
  model: nobody,
  middleware: [defineMiddleware({ name: "settle-only", beforeAgent: () => ({ type: "end" }) })],
};

const asRecord = ({ id, action, isDone, ready, calls, status, error }: Recovery): object => ({
  id,
  action: isDone ? (status === undefined ? "settled" : "went-on") : action,
  ...(action === "leave"
    ? { ready: ready.map((call) => ({ id: call.id, name: call.name, status: call.status })) }
    : { calls }),
  ...(status !== undefined && { status }),
  ...(error !== undefined && { error }),
});

function linesOf(recovery: Recovery, { texts, session }: Desk): readonly string[] {
  const { id, action, ready, calls, status, error } = recovery;
  const name = printable(id);
  const callName = (call: { readonly id: string; readonly name: string }): string =>
    printable(`${call.id} ${call.name}`);
  return [
    headOf(recovery, texts),
    ...(action === "leave" ? ready : []).map((call) => `  ${callName(call)}: ${texts.states[call.status]}`),
    ...(action === "leave" ? [] : calls).map(
      (call) => `  ${callName(call)}: ${texts.states[call.from]} → ${session.paint("yellow", texts.states[call.to])}`,
    ),
    ...(status === undefined ? [] : [texts.wentOn(name, status)]),
    ...(error === undefined ? [] : [session.paint("red", texts.failed(name, printable(error)))]),
  ];
}

function headOf({ id, action, isDone, isCrash }: Recovery, texts: Desk["texts"]): string {
  const name = printable(id);
  if (action === "at-work") return texts.atWork(name);
  if (action === "leave") return texts.left(name);
  return isCrash ? texts.settled(name, isDone) : texts.expired(name, isDone);
}
