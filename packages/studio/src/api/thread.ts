import { useQuery } from "@tanstack/react-query";

import { server } from "./server.ts";

/** How often a thread is read, in milliseconds. */
const often = 2_000;

/** A thread without its messages, as it is now: its title may be given, and events are added at any time. */
export const useThread = (id: string) =>
  useQuery({
    queryKey: ["thread", id],
    queryFn: () => server.threads.pending(id),
    refetchInterval: often,
    staleTime: 0,
  });
