import { useQuery } from "@tanstack/react-query";

import { useQueue } from "../api/queue.ts";
import { server } from "../api/server.ts";
import { GroupBar } from "../card/call-group.tsx";

/** How many calls of the same turn are decided, for the thread of an open card. */
export function ThreadCalls({ threadId }: { readonly threadId: string }) {
  const pending = useQueue().threads.find(({ id }) => id === threadId)?.pending ?? [];
  const { data } = useQuery({
    queryKey: ["turn", threadId, pending.length],
    queryFn: async () => {
      const page = await server.threads.entries(threadId, { limit: 5 });
      return page.data.findLast(({ calls }) => calls.length > 0)?.calls ?? [];
    },
    enabled: pending.length > 0,
  });
  return pending.length === 0 ? null : <GroupBar threadId={threadId} calls={pending} turn={data ?? []} />;
}
