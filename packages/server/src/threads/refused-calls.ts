import { UndangleError } from "undangle";
import type { CallView } from "undangle/agent";
import type { RefusedCall } from "undangle/client";

import { ApiError, apiErrorOf } from "../answers/api-error.ts";
import type { DeskThread } from "../desk/desk.ts";
import { pathIn } from "./entry-routes.ts";

/** The error of refused decisions, with what has become of their calls. Any other error is returned as it is. */
export async function withRefusedCalls(thrown: unknown, { id, thread }: DeskThread): Promise<unknown> {
  const error = apiErrorOf(thrown);
  const { status, code, message, param, headers, cause } = error;
  if (!(cause instanceof UndangleError && cause.is("decision/refused"))) return thrown;
  const pending = new Map((await thread.pending()).map((call) => [call.id, call]));
  const calls: RefusedCall[] = [];
  for (const { callId, problem } of cause.data.problems) {
    const { status: state, decision } = (await callOf(thread, callId)) ?? {};
    const waiting = pending.get(callId);
    calls.push({
      id: callId,
      problem,
      ...(state !== undefined && { status: state }),
      ...(decision !== undefined && { decision }),
      ...(waiting !== undefined && { pending: waiting }),
    });
  }
  return new ApiError(status, code, message, { param, headers, cause, thread: id, calls });
}

/** A call of a thread or of its child threads; undefined if there is none. */
async function callOf(thread: DeskThread["thread"], id: string): Promise<CallView | undefined> {
  const end = id.lastIndexOf("/");
  if (end === -1) return (await thread.calls()).find((call) => call.id === id);
  try {
    const { entries } = await thread.entries({ path: pathIn(id.slice(0, end)), limit: mostEntries });
    return entries.flatMap(({ calls }) => calls).find((call) => call.id === id);
  } catch (error) {
    if (error instanceof UndangleError) return undefined; // no call leads to such a child thread
    throw error;
  }
}

/** Pending calls are in the last turn of their thread. */
const mostEntries = 500;
