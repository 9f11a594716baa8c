import { useQuery } from "@tanstack/react-query";
import type { UseQueryResult } from "@tanstack/react-query";
import { ServerRefusal } from "undangle/client";
import type { RemoteSession } from "undangle/client";

import { checkSession, queries, server } from "./server.ts";

/** One channel for both directions, so that a tab does not receive its own messages. */
let channel: BroadcastChannel | undefined;

/** Follows sessions that another tab opens or closes. */
export function followSession(): void {
  channel = new BroadcastChannel("undangle-session");
  channel.addEventListener("message", () => void readAgain());
}

/** Reports to the other tabs that this one has opened or closed a session. */
export function announceSession(): void {
  const post: ((message: string) => void) | undefined = channel?.postMessage.bind(channel);
  post?.("changed");
}

/** What the page shows belongs to one person: for another one it is loaded again, so that nothing stays in memory. */
async function readAgain(): Promise<void> {
  const shown = signedIn();
  const wasRefused = isRefused(queries.getQueryState(["session"])?.error);
  if (!wasRefused) await checkSession();
  if (wasRefused || signedIn() !== shown) location.reload();
}

/** The person whose session the page shows, as the server records that person. Undefined until the session is read. */
export const signedIn = (): string | undefined => queries.getQueryData<RemoteSession>(["session"])?.by;

/** Who uses the page. The server refuses with 401 if a key is needed. */
export const useSession = (): UseQueryResult<RemoteSession> =>
  useQuery({ queryKey: ["session"], queryFn: () => server.session.get(), staleTime: 60_000 });

/** True if there is no session: it ended, or there was none. */
export function useNeedsKey(): boolean {
  return isRefused(useSession().error);
}

const isRefused = (error: unknown): boolean => error instanceof ServerRefusal && error.status === 401;

export interface Scopes {
  /** False until the session is read. */
  readonly isKnown: boolean;
  readonly hasKeys: boolean;
  readonly mayRead: boolean;
  readonly mayChat: boolean;
  readonly mayDecide: boolean;
  readonly isAdmin: boolean;
}

/** What the caller may do. `admin` includes every scope. */
export function useScopes(): Scopes {
  const { data } = useSession();
  const isAdmin = data?.scopes.includes("admin") === true;
  const has = (scope: string): boolean => isAdmin || data?.scopes.includes(scope) === true;
  return {
    isKnown: data !== undefined,
    hasKeys: data?.needs_key === true,
    mayRead: has("threads"),
    mayChat: has("chat"),
    mayDecide: has("approve"),
    isAdmin,
  };
}
