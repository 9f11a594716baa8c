import { useQuery } from "@tanstack/react-query";
import type { UseQueryResult } from "@tanstack/react-query";
import type { RemoteKey } from "undangle/client";

import { server } from "./server.ts";
import { useScopes, useSession } from "./session.ts";

/** The keys of the project, for a person with the scope `admin`. */
export function useKeys(): UseQueryResult<readonly RemoteKey[]> {
  const { isAdmin } = useScopes();
  return useQuery({ queryKey: ["keys"], queryFn: () => server.keys.list(), enabled: isAdmin });
}

/** The name of the person or program that a record names: that of the key, if the caller may see it. */
export function useKeyName(): (by: string) => string {
  const { data = [] } = useKeys();
  const { data: session } = useSession();
  return (by) => data.find(({ id }) => `key:${id}` === by)?.name ?? (by === session?.by ? session.name : null) ?? by;
}
