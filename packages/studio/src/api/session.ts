import { useQuery } from "@tanstack/react-query";
import type { UseQueryResult } from "@tanstack/react-query";
import { ServerRefusal } from "undangle/client";
import type { RemoteSession } from "undangle/client";

import { checkSession, isSessionMissing, knownSession, server } from "./server.ts";

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
  const wasMissing = isSessionMissing();
  if (!wasMissing) await checkSession();
  if (wasMissing || signedIn() !== shown) location.reload();
}

/** The person whose session the page shows, as the server records that person. Undefined until the session is read. */
export const signedIn = (): string | undefined => knownSession()?.by;

/** Who uses the page. `null`: the server needs a key, and there is no session. */
export const useSession = (): UseQueryResult<RemoteSession | null> =>
  useQuery({ queryKey: ["session"], queryFn: readSession, staleTime: 60_000 });

/** No session is a value, not an error: an error is forgotten while the session is read again. */
async function readSession(): Promise<RemoteSession | null> {
  try {
    return await server.session.get();
  } catch (error) {
    if (error instanceof ServerRefusal && error.status === 401) return null;
    throw error;
  }
}

/** True if there is no session: it ended, or there was none. */
export const useNeedsKey = (): boolean => useSession().data === null;

/** True until the server has responded once, or could not. Views wait, because they would read without a session. */
export const useIsSessionUnknown = (): boolean => {
  const { isPending, failureCount } = useSession();
  return isPending && failureCount === 0;
};

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
    isKnown: data !== undefined && data !== null,
    hasKeys: data?.needs_key === true,
    mayRead: has("threads"),
    mayChat: has("chat"),
    mayDecide: has("approve"),
    isAdmin,
  };
}
