import { useQuery } from "@tanstack/react-query";
import type { UseQueryResult } from "@tanstack/react-query";
import type { RemoteKey } from "undangle/client";

import { server } from "./server.ts";
import { useScopes } from "./session.ts";

/** The keys of the project, for a person with the scope `admin`. */
export function useKeys(): UseQueryResult<readonly RemoteKey[]> {
  const { isAdmin } = useScopes();
  return useQuery({ queryKey: ["keys"], queryFn: () => server.keys.list(), enabled: isAdmin });
}
