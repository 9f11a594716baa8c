import { createHash } from "node:crypto";

import type { Description, PendingCall, Run, Thread } from "undangle/agent";

import { maxModeOf } from "../access/identity.ts";
import { ApiError } from "../responses/api-error.ts";
import type { EarlierRequest } from "../responses/earlier-effect.ts";
import { begun } from "../projects/runs/begun.ts";
import { demandPersona } from "../projects/agents/demand-persona.ts";
import type { ChatNote, ProjectThread, ThreadNote } from "../projects/project-threads.ts";
import { findRecorded, noUsage } from "../projects/runs/recorded-run.ts";
import type { ResponseOutcome, RespondingRun, RecordedRun } from "../projects/runs/recorded-run.ts";
import type { ChatMessage } from "./chat-request.ts";
import { demandChosenTool } from "./demand-chosen-tool.ts";
import { demandOwn, namesOf, readFresh, sendFresh, sortResults } from "./fresh-messages.ts";
import type { Asking, Turn } from "./turn.ts";

/** The new messages of a request, and the index of the first. */
export interface News {
  readonly fresh: readonly ChatMessage[];
  readonly from: number;
}

/**
 * Adds the new messages to a thread. Results that the thread already has are skipped. If nothing else is new, or the
 * whole request was sent before, the response is repeated.
 */
export async function continueIn(asking: Asking, opened: ProjectThread, { fresh, from }: News): Promise<Turn> {
  const added = readFresh(opened.id, fresh, from);
  const pending = await opened.thread.pending();
  const calls = added.results.size === 0 ? [] : await opened.thread.calls();
  const results = sortResults(added.results, pending, calls);
  demandOwn(opened.note, results, pending);
  const { sent, identity } = asking;
  const hasKnownResults = added.results.size > 0 && results.waiting.size === 0;
  const isSentAgain = hasKnownResults && opened.note.chat?.sent === sent.prints.whole; // the message that came with them may be queued
  const isNothingNew = isSentAgain || (added.input === undefined && results.waiting.size === 0);
  if (isNothingNew && sent.history.length === 0 && opened.note.chat?.sent !== sent.prints.whole)
    throw new ApiError(409, "decision/refused", "The thread has continued since it received these results.", {
      param: "messages",
    });
  if (isNothingNew) return respondAgain(asking, opened, () => true);
  const begin = (thread: Thread, describe: Description): Run =>
    sendFresh(
      thread,
      { results: results.waiting, input: added.input },
      { by: identity.by, describe, maxMode: maxModeOf(identity) },
    );
  return startIn(asking, opened, { pending, begin, isInput: added.input !== undefined });
}

/**
 * Repeats the response of the last chat of a thread, or waits for it, if `isWanted` returns true. Otherwise, or if it
 * failed, the model responds again.
 */
export async function respondAgain(
  asking: Asking,
  opened: ProjectThread,
  isWanted: (recorded: RecordedRun) => boolean,
): Promise<Turn> {
  const { service, identity } = asking;
  const { chat } = opened.note;
  const pending = await opened.thread.pending();
  const recorded = chat === undefined ? undefined : await recordedIn(asking, opened, chat);
  const isSame = chat?.asked === askedOf(asking) || chat === undefined;
  const again = { threadId: opened.id, note: opened.note, edits: [], request: chat?.request ?? asking.requestId };
  if (recorded !== undefined && hasResponse(recorded) && isSame && isWanted(recorded))
    return {
      ...again,
      run: withPending(recorded.follow(service.closing.signal, { isSkippingDiscarded: true }), pending),
      at: recorded.at,
    };
  if (recorded === undefined && pending.length > 0) return { ...again, run: waitingRun(pending), at: Date.now() }; // the message was queued
  const begin = (thread: Thread, describe: Description): Run =>
    thread.regenerate({ describe, maxMode: maxModeOf(identity) });
  return startIn(asking, opened, { pending, begin, isInput: true });
}

/**
 * The turn of an earlier request with the same Idempotency-Key. If it failed, the model responds again, unless the
 * thread has received other messages.
 */
export async function resumeTurn(asking: Asking, { thread, started }: EarlierRequest): Promise<Turn> {
  const { service, identity } = asking;
  const opened = await service.projectThreads.open(identity.project, thread);
  if (started === undefined || opened.note.chat?.request === started.id)
    return respondAgain(asking, opened, () => true);
  const { id, run: recorded } = started;
  if (!hasResponse(recorded)) throw supersededError(opened.id);
  const run = recorded.follow(service.closing.signal, { isSkippingDiscarded: true });
  return { threadId: opened.id, note: opened.note, edits: [], request: id, at: recorded.at, run };
}

/** The error of a chat whose thread received another message before the response. */
export const supersededError = (threadId: string): ApiError =>
  new ApiError(
    409,
    "superseded",
    `The thread ${JSON.stringify(threadId)} received another message before the response to this message. The thread contains both.`,
    { thread: threadId, headers: { "x-should-retry": "false" } }, // OpenAI clients retry a 409, which would supersede the other message
  );

export const recordedIn = (
  { service }: Asking,
  { found, thread }: ProjectThread,
  { request, after }: ChatNote,
): Promise<RecordedRun | undefined> => findRecorded(service.store, { key: found.id, thread, request, after });

/** True for a run that has, or may still get, a response. A failed or stopped run has no response. */
export const hasResponse = ({ ended }: RecordedRun): boolean =>
  ended === undefined ||
  ended.outcome.status === "done" ||
  ended.outcome.status === "waiting" ||
  ended.outcome.cause === "superseded";

/** A run from the store, with calls that were pending before it. */
function withPending(run: RespondingRun, pending: readonly PendingCall[]): RespondingRun {
  const whole = async (): Promise<ResponseOutcome> => {
    const outcome = await run.result;
    if (outcome.status !== "waiting") return outcome;
    const before = pending.filter(({ id }) => !outcome.pending.some((call) => call.id === id));
    return { ...outcome, pending: [...before, ...outcome.pending] };
  };
  return { id: run.id, result: whole(), [Symbol.asyncIterator]: () => run[Symbol.asyncIterator]() };
}

/** The response for messages that the thread already has: their calls are pending. */
function waitingRun(pending: readonly PendingCall[]): RespondingRun {
  const outcome: ResponseOutcome = { status: "waiting", text: "", pending, usage: noUsage, threadUsage: noUsage };
  return { id: "", result: Promise.resolve(outcome), async *[Symbol.asyncIterator]() {} };
}

interface Start {
  readonly pending: readonly PendingCall[];
  readonly begin: (thread: Thread, describe: Description) => Run;
  /** True if the model responds to a new message or responds again. The text from here on is its reply. */
  readonly isInput: boolean;
}

/** Starts a run in a thread with the settings of the request. All checks come first. */
async function startIn(asking: Asking, opened: ProjectThread, { pending, begin, isInput }: Start): Promise<Turn> {
  const { service, identity, requestId, note, settings } = asking;
  const { lastEvent } = opened.found;
  const since = isInput ? lastEvent : (opened.note.chat?.since ?? lastEvent);
  const changed = { ...opened.note, ...note, chat: chatNote(asking, { after: lastEvent, since }) };
  demandChosenTool(service.roster, changed, settings);
  demandPersona(changed, service.roster);
  demandNoWaiting(opened, changed, pending);
  const { thread, describe, isOther } = service.projectThreads.redraft(identity.project, opened, changed); // throws if no agent can have these tools
  service.runs.demandRoom();
  await asking.remembering?.noteThread(opened.id);
  if (opened.isRunningHere && isOther) await opened.thread.stop({ cause: "superseded" });
  const run = service.runs.start(requestId, () => begin(thread, describe), settings);
  await begun(run, opened.isRunningHere);
  return { threadId: opened.id, note: changed, run, edits: [], request: requestId, at: Date.now() };
}

/** The note of a thread that the next request reads. */
export const chatNote = (asking: Asking, place: Pick<ChatNote, "after" | "since">): ChatNote => ({
  request: asking.requestId,
  sent: asking.sent.prints.whole,
  plain: asking.sent.prints.plain,
  asked: askedOf(asking),
  ...place,
});

/**
 * A short digest of the model settings. A request with other settings is a different request. Instructions are excluded
 * because clients put the time into them.
 */
function askedOf({ note, settings: { system: _changing, ...settings } }: Asking): string {
  return createHash("sha256")
    .update(JSON.stringify([note, settings]))
    .digest("hex")
    .slice(0, 16);
}

/** Refuses a client tool with the name of a server tool whose call is pending. */
function demandNoWaiting({ note }: ProjectThread, changed: ThreadNote, pending: readonly PendingCall[]): void {
  const before = namesOf(note);
  const taken = pending.find(({ name }) => !before.has(name) && namesOf(changed).has(name));
  if (taken === undefined) return;
  throw new ApiError(
    409,
    "tool-waiting",
    `A call of the server's own tool ${taken.name} is pending in this thread, so a tool of the request cannot have its name.`,
    { param: "tools" },
  );
}
