import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { CallView, PendingCall } from "undangle/client";

import { server } from "../api/server.ts";
import { useScopes } from "../api/session.ts";
import { isSettled } from "../parts/call-states.ts";
import { GroupBar, waitingTurn } from "./call-group.tsx";

interface ThreadCallsProps {
  readonly threadId: string;
  readonly pending: readonly PendingCall[];
  /** The turn of the thread that waits, if the caller has it. Those of sub-agents are read. */
  readonly turn?: readonly CallView[];
}

/** How many calls of the turns that wait are decided, and one decision for the others. */
export function ThreadCalls({ threadId, pending, turn }: ThreadCallsProps) {
  const tasks = [...new Set(pending.map(({ id }) => taskOf(id)))].filter((task) => task !== "");
  const read = turn === undefined ? ["", ...tasks] : tasks;
  const { mayRead } = useScopes();
  const { data = [] } = useQuery({
    queryKey: ["turns", threadId, read, pending.map(({ id }) => id)],
    queryFn: async () => (await Promise.all(read.map((task) => readTurn(threadId, task)))).flat(),
    enabled: mayRead && pending.length > 0 && read.length > 0,
    placeholderData: keepPreviousData, // the bar does not jump when a call leaves
    // The queue reports pending calls, and the key contains them. A call that runs is read until it has an outcome.
    refetchInterval: ({ state }) => (state.data?.some(isRunning) === true ? 1_000 : false),
  });
  return pending.length === 0 ? null : (
    <GroupBar threadId={threadId} calls={pending} turn={[...(turn ?? []), ...(read.length > 0 ? data : [])]} />
  );
}

const isRunning = (call: CallView): boolean => call.status !== "awaiting" && !isSettled(call);

/** The calls that lead to a call of a sub-agent, joined by `/`. Empty for a call of the thread itself. */
const taskOf = (id: string): string => id.split("/").slice(0, -1).join("/");

async function readTurn(threadId: string, task: string): Promise<readonly CallView[]> {
  const path = task === "" ? {} : { path: task.split("/") };
  return waitingTurn((await server.threads.entries(threadId, { limit: 5, ...path })).data);
}
