import { UndangleError } from "undangle";
import type { CallView } from "undangle/agent";
import type { RefusedCall } from "undangle/client";

import { ApiError, apiErrorOf } from "../responses/api-error.ts";
import type { ProjectThread } from "../projects/project-threads.ts";
import { pathIn } from "./entry-routes.ts";

/** The error of refused decisions, with what has become of their calls. Any other error is returned as it is. */
export async function withRefusedCalls(thrown: unknown, { id, thread }: ProjectThread): Promise<unknown> {
  const error = apiErrorOf(thrown);
  const { status, code, message, param, headers, cause } = error;
  if (!(cause instanceof UndangleError && cause.is("decision/refused"))) return thrown;
  const pending = new Map((await thread.pending()).map((call) => [call.id, call]));
  const find = callFinder(thread);
  const calls: RefusedCall[] = [];
  for (const { callId, problem } of cause.data.problems) {
    const { status: state, decision } = (await find(callId)) ?? {};
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

/** Finds calls of a thread and of its child threads. Reads the calls of each thread once. */
function callFinder(thread: ProjectThread["thread"]): (id: string) => Promise<CallView | undefined> {
  const known = new Map<string, Promise<Calls>>();
  return async (id) => {
    const end = Math.max(id.lastIndexOf("/"), 0);
    const path = id.slice(0, end);
    const calls = known.get(path) ?? readCalls(thread, path);
    known.set(path, calls);
    return (await calls).get(id);
  };
}

type Calls = ReadonlyMap<string, CallView>;

/** The calls of a thread or of a child thread, by id; none if no call leads to such a child thread. */
async function readCalls(thread: ProjectThread["thread"], path: string): Promise<Calls> {
  try {
    const calls = path === "" ? await thread.calls() : await lastCalls(thread, path);
    return new Map(calls.map((call) => [call.id, call]));
  } catch (error) {
    if (path !== "" && error instanceof UndangleError) return new Map();
    throw error;
  }
}

/** Pending calls are in the last turn of their thread. */
const mostEntries = 500;

async function lastCalls(thread: ProjectThread["thread"], path: string): Promise<readonly CallView[]> {
  const { entries } = await thread.entries({ path: pathIn(path), limit: mostEntries });
  return entries.flatMap(({ calls }) => calls);
}
