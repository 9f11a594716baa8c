import type { EventData } from "undangle/agent";

import { apiErrorOf } from "../answers/api-error.ts";
import type { DeskThread } from "../desk/desk.ts";
import type { RecordedRun } from "../desk/recorded-run.ts";
import { storedEvents } from "../desk/stored-events.ts";
import type { ChatMessage } from "./chat-request.ts";
import { answerAgain, continueIn, hasAnswer, recordedIn } from "./continue-turn.ts";
import { threadOfResults, withOwnIds } from "./fresh-messages.ts";
import { isReplyOf, isSameHistory } from "./same-history.ts";
import type { EarlierRequest } from "./sent-messages.ts";
import type { Asking, Turn } from "./turn.ts";

/**
 * The turn of a request that names no thread: in the thread whose calls it has results of, in the one in which it was answered
 * before, or in the one whose conversation it goes on with. Undefined where there is none: then a new thread begins.
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
 * Threads in which the very same was sent before. What begins a conversation may be said by anybody, and as often as they like: it
 * counts as sent again only where a client has left without its response, or says that it tries again.
 */
async function earlierThreads({ service, identity, sent, isRetry, remembering }: Asking): Promise<readonly string[]> {
  const { whole } = sent.prints;
  if (sent.history.length === 0 && remembering !== undefined) return [];
  if (sent.history.length > 0 || isRetry) return service.conversations.find(identity.project, whole);
  const lost = service.deliveries.lostThread(whole);
  return lost === undefined ? [] : [lost];
}

/** Tries a thread, one request at a time. One that does not fit, or is not free, is none. */
function tried(
  asking: Asking,
  id: string,
  turnIn: (opened: DeskThread) => Promise<Turn | undefined>,
): Promise<Turn | undefined> {
  const { service, identity, sent } = asking;
  return service.locks.hold(`${identity.project}/${id}`, async () => {
    try {
      return await turnIn(await service.desk.open(identity.project, id));
    } catch (thrown) {
      const { status, code } = apiErrorOf(thrown);
      const isGone = status === 404 || status === 410;
      const isOther = status === 409 && code !== "thread/busy" && sent.history.length > 0;
      if (isGone || isOther) return undefined; // all of it is in the request
      throw thrown;
    }
  });
}

/** The turn in the thread whose calls the request has results of. */
async function withResults(asking: Asking, opened: DeskThread): Promise<Turn | undefined> {
  const { history } = asking.sent;
  if (history.length > 0 && !isSameHistory(history, await keptMessages(opened))) return undefined; // it was edited
  return continueIn(asking, opened, asking.sent);
}

/** The messages of a thread as a client of OpenAI would have them. */
export const keptMessages = async ({ thread }: DeskThread): Promise<readonly ChatMessage[]> =>
  thread.history("openai-chat");

/** A program that sends a request again does so soon; a person who wants another answer takes longer. In milliseconds. */
const soon = 10_000;

/** How long after a failure a program may try again. */
const retryTime = 60_000;

/** The turn in a thread whose last chat was this very request. */
async function sentAgain(asking: Asking, opened: DeskThread): Promise<Turn | undefined> {
  const { service, sent, isRetry, remembering } = asking;
  const { chat } = opened.note;
  if (chat === undefined || chat.sent !== sent.prints.whole) return undefined;
  const isLost = service.deliveries.isLost(chat.request);
  const isAgain = ({ ended }: RecordedRun): boolean =>
    remembering === undefined && (isLost || isRetry || ended === undefined || Date.now() - ended.at < soon);
  if (sent.history.length === 0 && !isLost) {
    const recorded = await recordedIn(asking, opened, chat);
    const hasFailed =
      recorded?.ended !== undefined && !hasAnswer(recorded) && Date.now() - recorded.ended.at < retryTime;
    if (!hasFailed) return undefined; // somebody else may have said the same
  }
  return answerAgain(asking, opened, isAgain);
}

/** The turn in a thread whose last chat is the one before this request. */
async function next(asking: Asking, opened: DeskThread, earlier: EarlierRequest): Promise<Turn | undefined> {
  const { chat } = opened.note;
  if (chat === undefined || (chat.sent !== earlier.print && chat.plain !== earlier.print)) return undefined; // it has gone on
  const isFitting = earlier.isUnanswered
    ? await isUnanswered(asking, opened)
    : opened.found.owner !== undefined || isReplyOf(earlier.replies, await saidSince(asking, opened, chat.since));
  if (!isFitting) return undefined;
  const pending = await opened.thread.pending();
  const fresh = withOwnIds(earlier.fresh, earlier.replies, { note: opened.note, pending });
  return continueIn(asking, opened, { fresh, from: earlier.from });
}

/** True when the client of the last chat of a thread has got no response. */
async function isUnanswered(asking: Asking, opened: DeskThread): Promise<boolean> {
  const { chat } = opened.note;
  if (chat === undefined) return false;
  if (asking.service.deliveries.isLost(chat.request)) return true;
  const recorded = await recordedIn(asking, opened, chat);
  return recorded === undefined || recorded.ended === undefined || !hasAnswer(recorded);
}

/** Everything that the model has said in a thread since an event. */
async function saidSince({ service }: Asking, { found }: DeskThread, since: number): Promise<string> {
  const texts: string[] = [];
  for await (const { type, data } of storedEvents(service.store, found.id, since))
    if (type === "text_delta") texts.push((data as EventData["text_delta"]).text); // as the engine writes it
  return texts.join("");
}
