import { check, repair } from "undangle";
import type { Run } from "undangle/agent";

import { ApiError } from "../responses/api-error.ts";
import { begun } from "../projects/runs/begun.ts";
import type { Service } from "../open-service.ts";
import type { ChatMessage, ChatRequest } from "./chat-request.ts";
import { respondAgain, chatNote, continueIn, resumeTurn } from "./continue-turn.ts";
import { demandChosenTool } from "./demand-chosen-tool.ts";
import { bad } from "./fields.ts";
import { findTurn, keptMessages } from "./find-turn.ts";
import { requestedNote } from "./requested-note.ts";
import { isSameHistory } from "./same-history.ts";
import { readSent } from "./sent-messages.ts";
import type { Asking, Turn } from "./turn.ts";
import { inputOf } from "./user-input.ts";

/** The caller and the request. */
export type Asker = Pick<Asking, "identity" | "requestId" | "isRetry" | "remembering">;

/** Finds or creates the thread of a request, and adds the new messages. */
export async function startTurn(service: Service, asker: Asker, request: ChatRequest): Promise<Turn> {
  service.runs.demandRoom();
  const note = requestedNote(service, request);
  const sent = readSent(request, asker.identity);
  const settings = { ...request.settings, ...(sent.system !== undefined && { system: sent.system }) };
  if (JSON.stringify(settings).length > longestSettings)
    throw bad("messages", `a list with at most ${longestSettings / 1024} KB of instructions`, request.messages);
  const asking: Asking = { service, ...asker, sent, note, settings };
  const earlier = asker.remembering?.earlier;
  if (earlier !== undefined) return resumeTurn(asking, earlier);
  if (request.threadId !== undefined) return inNamedThread(asking, request.threadId);
  const turn = (await findTurn(asking)) ?? (await beginThread(asking));
  service.conversations.add(asker.identity.project, new Set([sent.prints.whole, sent.prints.plain]), turn.threadId);
  return turn;
}

/** The limit for instructions and schemas of a client, which are stored in the note of a thread. */
const longestSettings = 256 * 1024;

/** The turn in the thread that the request names. A different history is refused. */
async function inNamedThread(asking: Asking, threadId: string): Promise<Turn> {
  const { service, identity, sent } = asking;
  const opened = await service.projectThreads.open(identity.project, threadId);
  const isWhole = sent.history.length > 0;
  if (isWhole && opened.note.chat?.sent === sent.prints.whole) return respondAgain(asking, opened, () => true);
  if (isWhole && !isSameHistory(sent.history, await keptMessages(opened)))
    throw new ApiError(
      409,
      "history-conflict",
      `The messages before the last assistant message differ from those of the thread ${JSON.stringify(opened.id)}. Send only new messages, or omit thread_id.`,
      { param: "messages" },
    );
  return continueIn(asking, opened, sent);
}

/** A new thread. All messages before the last user message become its history. */
async function beginThread(asking: Asking): Promise<Turn> {
  const { service, identity, requestId, sent, settings, remembering } = asking;
  const { all, first } = sent;
  const last = all.at(-1);
  const at = `messages[${first + all.length - 1}]`;
  if (last?.role !== "user" && last?.role !== "tool")
    throw bad(`${at}.role`, "a list whose last message has the role user or tool", last?.role);
  const input = last.role === "user" ? inputOf(last.content, `${at}.content`) : undefined;
  const history = input === undefined ? all : all.slice(0, -1);
  const edits = history.length === 0 ? [] : editsIn(all);
  const chat = chatNote(asking, { after: 0, since: 0 });
  const note = { persona: service.roster.standard, ...asking.note, chat };
  demandChosenTool(service.roster, note, settings);
  const { id, thread, describe } = service.projectThreads.draft(identity.project, note, remembering?.newThread);
  await remembering?.noteThread(id);
  const taken = history.length === 0 ? {} : { history, format: "openai-chat" as const };
  const begin = (): Run => thread.begin({ ...taken, input, describe });
  const run = service.runs.start(requestId, begin, settings);
  await begun(run, false);
  service.metrics.repaired(edits);
  return { threadId: id, note, edits, run, request: requestId, at: Date.now() };
}

/** The rules of the edits that the history needs. */
function editsIn(messages: readonly ChatMessage[]): readonly string[] {
  if (check([...messages], { format: "openai-chat" }).length === 0) return [];
  return repair([...messages], { format: "openai-chat" }).edits.map(({ rule }) => rule);
}
