import { useQuery } from "@tanstack/react-query";
import type { UseQueryResult } from "@tanstack/react-query";
import { ServerRefusal } from "undangle/client";
import type { RemoteSession } from "undangle/client";

import { server } from "./server.ts";

/** Who uses the page. The server refuses with 401 if a key is needed. */
export const useSession = (): UseQueryResult<RemoteSession> =>
  useQuery({ queryKey: ["session"], queryFn: () => server.session.get(), staleTime: 60_000 });

/** True if the server knows nobody: the session ended, or there was none. */
export function useNeedsKey(): boolean {
  const { error } = useSession();
  return error instanceof ServerRefusal && error.status === 401;
}

/** What the caller may do. `admin` includes every scope. */
export function useScopes(): { readonly mayDecide: boolean; readonly isAdmin: boolean } {
  const scopes = useSession().data?.scopes ?? [];
  const isAdmin = scopes.includes("admin");
  return { mayDecide: isAdmin || scopes.includes("approve"), isAdmin };
}
