import type { EventData } from "undangle/agent";

import { apiErrorOf } from "../responses/api-error.ts";
import type { ProjectThread } from "../projects/project-threads.ts";
import type { RecordedRun } from "../projects/runs/recorded-run.ts";
import { storedEvents } from "../projects/store/stored-events.ts";
import type { ChatMessage } from "./chat-request.ts";
import { respondAgain, continueIn, hasResponse, recordedIn } from "./continue-turn.ts";
import { threadOfResults, withOwnIds } from "./fresh-messages.ts";
import { isReplyOf, isSameHistory } from "./same-history.ts";
import type { EarlierRequest } from "./sent-messages.ts";
import type { Asking, Turn } from "./turn.ts";

/**
 * The turn of a request without a thread id. The thread is found by the results of its calls, by an identical earlier
 * request, or by the conversation that the request continues. Undefined starts a new thread.
 */
export async function findTurn(asking: Asking): Promise<Turn | undefined> {
  const { service, identity, sent } = asking;
  const ids = (print: string): Promise<readonly string[]> => service.conversations.find(identity.project, print);
  const ofResults = threadOfResults(sent.fresh);
  if (ofResults !== undefined) {
    const turn = await tried(asking, ofResults, (opened) => withResults(asking, opened));
    if (turn !== undefined) return turn;
  }
  for (const id of await earlierThreads(asking)) {
    const turn = await tried(asking, id, (opened) => sentAgain(asking, opened));
    if (turn !== undefined) return turn;
  }
  for (const earlier of sent.earlier) {
    for (const id of await ids(earlier.print)) {
      const turn = await tried(asking, id, (opened) => next(asking, opened, earlier));
      if (turn !== undefined) return turn;
    }
  }
  return undefined;
}

/**
 * Threads that received the same messages before. The first message of a conversation can be the same for many users.
 * It counts as a retry only if a client left without its response, or if the request is marked as a retry.
 */
async function earlierThreads({ service, identity, sent, isRetry, remembering }: Asking): Promise<readonly string[]> {
  const { whole } = sent.prints;
  if (sent.history.length === 0 && remembering !== undefined) return [];
  if (sent.history.length > 0 || isRetry) return service.conversations.find(identity.project, whole);
  const lost = service.deliveries.lostThread(whole);
  return lost === undefined ? [] : [lost];
}

/** Tries a thread, one request at a time. Undefined if it does not match or is busy. */
function tried(
  asking: Asking,
  id: string,
  turnIn: (opened: ProjectThread) => Promise<Turn | undefined>,
): Promise<Turn | undefined> {
  const { service, identity, sent } = asking;
  return service.locks.hold(`${identity.project}/${id}`, async () => {
    try {
      return await turnIn(await service.projectThreads.open(identity.project, id));
    } catch (thrown) {
      const { status, code } = apiErrorOf(thrown);
      const isGone = status === 404 || status === 410;
      const isOther = status === 409 && code !== "thread/busy" && sent.history.length > 0;
      if (isGone || isOther) return undefined; // the request must contain all messages
      throw thrown;
    }
  });
}

/** The turn in the thread whose calls have results in the request. */
async function withResults(asking: Asking, opened: ProjectThread): Promise<Turn | undefined> {
  const { history } = asking.sent;
  if (history.length > 0 && !isSameHistory(history, await keptMessages(opened))) return undefined; // the client edited the history
  return continueIn(asking, opened, asking.sent);
}

/** The messages of a thread, as an OpenAI client has them. */
export const keptMessages = async ({ thread }: ProjectThread): Promise<readonly ChatMessage[]> =>
  thread.history("openai-chat");

/** A program retries within this time, in milliseconds. A person who wants another response takes longer. */
const soon = 10_000;

/** How long after a failure a program may retry. */
const retryTime = 60_000;

/** The turn in a thread whose last chat was an identical request. */
async function sentAgain(asking: Asking, opened: ProjectThread): Promise<Turn | undefined> {
  const { service, sent, isRetry, remembering } = asking;
  const { chat } = opened.note;
  if (chat === undefined || chat.sent !== sent.prints.whole) return undefined;
  const isLost = service.deliveries.isLost(chat.request);
  const isAgain = ({ ended }: RecordedRun): boolean =>
    remembering === undefined && (isLost || isRetry || ended === undefined || Date.now() - ended.at < soon);
  if (sent.history.length === 0 && !isLost) {
    const recorded = await recordedIn(asking, opened, chat);
    const hasFailed =
      recorded?.ended !== undefined && !hasResponse(recorded) && Date.now() - recorded.ended.at < retryTime;
    if (!hasFailed) return undefined; // another client may have sent the same messages
  }
  return respondAgain(asking, opened, isAgain);
}

/** The turn in a thread whose last chat precedes this request. */
async function next(asking: Asking, opened: ProjectThread, earlier: EarlierRequest): Promise<Turn | undefined> {
  const { chat } = opened.note;
  if (chat === undefined || (chat.sent !== earlier.print && chat.plain !== earlier.print)) return undefined; // the thread has continued
  const isFitting = earlier.hasNoReply
    ? await hasNoReply(asking, opened)
    : opened.found.owner !== undefined || isReplyOf(earlier.replies, await textSince(asking, opened, chat.since));
  if (!isFitting) return undefined;
  const pending = await opened.thread.pending();
  const fresh = withOwnIds(earlier.fresh, earlier.replies, { note: opened.note, pending });
  return continueIn(asking, opened, { fresh, from: earlier.from });
}

/** True if the client of the last chat of a thread received no response. */
async function hasNoReply(asking: Asking, opened: ProjectThread): Promise<boolean> {
  const { chat } = opened.note;
  if (chat === undefined) return false;
  if (asking.service.deliveries.isLost(chat.request)) return true;
  const recorded = await recordedIn(asking, opened, chat);
  return recorded === undefined || recorded.ended === undefined || !hasResponse(recorded);
}

/** All text of the model in a thread since an event. */
async function textSince({ service }: Asking, { found }: ProjectThread, since: number): Promise<string> {
  const texts: string[] = [];
  for await (const { type, data } of storedEvents(service.store, found.id, since))
    if (type === "text_delta") texts.push((data as EventData["text_delta"]).text); // the engine writes this type
  return texts.join("");
}
