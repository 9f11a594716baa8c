import { check, repair } from "undangle";
import type { PendingCall, Run } from "undangle/agent";

import { ApiError } from "../answers/api-error.ts";
import type { Identity } from "../access/identity.ts";
import { begun } from "../desk/begun.ts";
import { demandPersona } from "../desk/demand-persona.ts";
import type { DeskThread, ThreadNote } from "../desk/desk.ts";
import type { RunSettings } from "../desk/run-settings.ts";
import type { Service } from "../open-service.ts";
import { readHandle } from "./call-handle.ts";
import type { ChatMessage, ChatRequest } from "./chat-request.ts";
import { demandChosenTool } from "./demand-chosen-tool.ts";
import { bad } from "./fields.ts";
import { demandOwn, isSentAgain, namesOf, readFresh, sayFresh } from "./fresh-messages.ts";
import { requestedNote } from "./requested-note.ts";
import { isSameHistory } from "./same-history.ts";
import { textOf } from "./message-text.ts";
import { inputOf } from "./user-input.ts";

/** A turn that has begun: the thread that it is in, and the run that answers. */
export interface Turn {
  readonly threadId: string;
  readonly note: ThreadNote;
  readonly run: Run;
  /** The rules by which the history of the request was mended, one for each edit. */
  readonly edits: readonly string[];
}

/** Who asks, and by which request. */
export interface Asking {
  readonly identity: Identity;
  readonly requestId: string;
}

/** Finds or makes the thread of a request, and says there what is new. */
export async function startTurn(service: Service, asking: Asking, request: ChatRequest): Promise<Turn> {
  service.runs.demandRoom();
  const { lead, rest, first } = splitLead(request.messages);
  const note = requestedNote(service, request);
  const { history, fresh, from } = splitFresh(rest, first);
  const system = [lead, ...fresh.filter(isInstruction).map(({ content }) => textOf(content))].filter(isSomething);
  const settings = { ...request.settings, ...(system.length > 0 && { system: system.join("\n\n") }) };
  if (JSON.stringify(settings).length > longestSettings)
    throw bad("messages", `a list whose instructions have at most ${longestSettings / 1024} KB`, request.messages);
  const opened = await threadOf(service, asking, { given: request.threadId, fresh });
  if (opened === undefined) return beginThread(service, asking, { note, settings, messages: rest, from: first });
  if (history.length > 0 && !isSameHistory(history, await keptMessages(opened)))
    throw new ApiError(
      409,
      "history-conflict",
      `The messages before the last answer are not those of the thread ${JSON.stringify(opened.id)}. Send only what is new, or leave thread_id out to begin another thread.`,
      { param: "messages" },
    );
  const said = readFresh(opened.id, fresh, from);
  const pending = await opened.thread.pending();
  const isAgain = await isSentAgain(opened, said, pending);
  if (!isAgain) demandOwn(opened, said, pending);
  const changed = { ...opened.note, ...note };
  demandChosenTool(service.roster, changed, settings);
  demandPersona(changed, service.roster);
  demandNoWaiting(opened, changed, pending);
  const { by, project } = asking.identity;
  const { thread, describe } = service.desk.redraft(project, opened, changed); // refused where no agent can be made of it
  service.runs.demandRoom();
  if (opened.isRunningHere && describe !== undefined) await opened.thread.stop({ cause: "superseded" }); // another agent answers what is new
  const begin = (): Run => (isAgain ? thread.regenerate({ describe }) : sayFresh(thread, said, { by, describe }));
  const run = service.runs.start(asking.requestId, begin, settings);
  await begun(run, opened.isRunningHere || said.results.size > 0);
  return { threadId: opened.id, note: changed, run, edits: [] };
}

/** Of instructions and schemas of a caller, which are kept with what is known of a thread. */
const longestSettings = 256 * 1024;

/** The thread that a request is about: the one that it names, or the one whose calls it has results of, if that is there. */
async function threadOf(
  { desk }: Service,
  { identity: { project } }: Asking,
  { given, fresh }: { readonly given: string | undefined; readonly fresh: readonly ChatMessage[] },
): Promise<DeskThread | undefined> {
  if (given !== undefined) return desk.open(project, given);
  const found = threadOfResults(fresh);
  if (found === undefined) return undefined;
  try {
    return await desk.open(project, found);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 410)) return undefined; // all of it is in the request
    throw error;
  }
}

const isInstruction = ({ role }: ChatMessage): boolean => role === "system" || role === "developer";

const isSomething = (text: string): boolean => text !== "";

/** Messages before everything else are instructions. */
function splitLead(messages: readonly ChatMessage[]): { lead: string; rest: readonly ChatMessage[]; first: number } {
  const end = messages.findIndex((message) => !isInstruction(message));
  const first = end === -1 ? messages.length : end;
  if (first === messages.length) throw bad("messages", "a list with something that a person says", messages);
  const lead = messages.slice(0, first).map(({ content }) => textOf(content));
  return { lead: lead.filter(isSomething).join("\n\n"), rest: messages.slice(first), first };
}

/** What stands behind the last answer is new. */
function splitFresh(
  messages: readonly ChatMessage[],
  first: number,
): {
  readonly history: readonly ChatMessage[];
  readonly fresh: readonly ChatMessage[];
  readonly from: number;
} {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return { history: messages.slice(0, last + 1), fresh: messages.slice(last + 1), from: first + last + 1 };
}

/** The thread that results of calls belong to, by the ids of the calls. */
function threadOfResults(fresh: readonly ChatMessage[]): string | undefined {
  for (const { role, tool_call_id: id } of fresh) {
    const handle = role === "tool" ? readHandle(id) : undefined;
    if (handle !== undefined) return handle.threadId;
  }
  return undefined;
}

interface Beginning {
  readonly note: Partial<ThreadNote>;
  readonly settings: RunSettings;
  readonly messages: readonly ChatMessage[];
  /** The number of the first of them in the request. */
  readonly from: number;
}

/** A new thread: everything but the last thing that was said is its history. */
async function beginThread(
  service: Service,
  { identity: { project }, requestId }: Asking,
  { note, settings, messages, from }: Beginning,
): Promise<Turn> {
  const last = messages.at(-1);
  const at = `messages[${from + messages.length - 1}]`;
  if (last?.role !== "user" && last?.role !== "tool")
    throw bad(`${at}.role`, "that of a person or a tool: the last message is what is answered", last?.role);
  const input = last.role === "user" ? inputOf(last.content, `${at}.content`) : undefined;
  const history = input === undefined ? messages : messages.slice(0, -1);
  const edits = history.length === 0 ? [] : editsIn(messages);
  const wanted = { note: { persona: service.roster.standard, ...note } };
  demandChosenTool(service.roster, wanted.note, settings);
  const { id, thread, describe } = service.desk.draft(project, wanted.note);
  const taken = history.length === 0 ? {} : { history, format: "openai-chat" as const };
  const run = service.runs.start(requestId, () => thread.begin({ ...taken, input, describe }), settings);
  await begun(run, false);
  service.metrics.repaired(edits);
  return { threadId: id, note: wanted.note, edits, run };
}

/** By which rules a history has to be mended. */
function editsIn(messages: readonly ChatMessage[]): readonly string[] {
  if (check([...messages], { format: "openai-chat" }).length === 0) return [];
  return repair([...messages], { format: "openai-chat" }).edits.map(({ rule }) => rule);
}

/** Refuses to make a tool of the caller of one whose call waits as a call of the server. */
function demandNoWaiting({ note }: DeskThread, changed: ThreadNote, pending: readonly PendingCall[]): void {
  const before = namesOf(note);
  const taken = pending.find(({ name }) => !before.has(name) && namesOf(changed).has(name));
  if (taken === undefined) return;
  throw new ApiError(
    409,
    "tool-waiting",
    `A call of the server's own tool ${taken.name} waits in this thread: a tool of yours cannot have its name.`,
    { param: "tools" },
  );
}

/** The messages of a thread as a client of OpenAI would have them. */
async function keptMessages({ thread }: DeskThread): Promise<readonly ChatMessage[]> {
  return (await thread.history("openai-chat")) as readonly ChatMessage[]; // in that format
}
