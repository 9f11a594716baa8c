import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { useQueue } from "../api/queue.ts";
import { server } from "../api/server.ts";
import { GroupBar, waitingTurn } from "../card/call-group.tsx";
import { isOver } from "../thread/thread-state.ts";

/** How many calls of the same turn are decided, for the thread of an open card. */
export function ThreadCalls({ threadId }: { readonly threadId: string }) {
  const pending = useQueue().threads.find(({ id }) => id === threadId)?.pending ?? [];
  const { data } = useQuery({
    queryKey: ["turn", threadId, pending.map(({ id }) => id).join()],
    queryFn: async () => waitingTurn((await server.threads.entries(threadId, { limit: 5 })).data),
    enabled: pending.length > 0,
    placeholderData: keepPreviousData, // the bar does not jump when a call leaves
    // The queue reports pending calls only, so a call that still runs is read until it has an outcome.
    refetchInterval: ({ state }) => (state.data?.some((call) => !isOver(call)) === true ? 1_000 : false),
  });
  return pending.length === 0 ? null : <GroupBar threadId={threadId} calls={pending} turn={data ?? []} />;
}
