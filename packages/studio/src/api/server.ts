import { QueryClient } from "@tanstack/react-query";
import { createClient, ServerRefusal } from "undangle/client";
import type { RemoteSession } from "undangle/client";

import { shellTexts } from "../texts/shell-texts.ts";
import { compareClocks } from "./server-time.ts";

/** The server that the page comes from. */
export const server = createClient({ url: location.origin, fetch: requestInSession });

/** True for a refusal that another attempt would get too. */
export const isFinal = (error: unknown): boolean => error instanceof ServerRefusal && error.isFinal;

/** Caches what the server returned. */
export const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: 5_000, retry: (count, error) => !isFinal(error) && count < 3 } },
});

/** Reads again who uses the page. If the session has ended, the page requests a key. */
export const checkSession = (): Promise<void> => queries.invalidateQueries({ queryKey: ["session"] });

/** The session that was read last. `null` if there is none. */
export const knownSession = (): RemoteSession | null | undefined => queries.getQueryData(["session"]);

export const isSessionMissing = (): boolean => knownSession() === null;

/**
 * Requests of the page. A refusal for lack of a session is noticed wherever it occurs. Another tab may have opened a new
 * session, whose token this tab does not know yet: then the change is sent again with the new token. With the session
 * of another key it would be recorded as a change of another person: then the page is loaded again and shows that one.
 */
async function requestInSession(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const start = Date.now();
  const response = await reached(input, init);
  compareClocks(response, start);
  const isAboutSession = new URL(response.url).pathname === "/session";
  if (response.status === 401 && !isAboutSession && !isSessionMissing()) void checkSession();
  if (response.status !== 403 || (await codeOf(response)) !== "csrf-missing") return response;
  const shown = knownSession()?.by;
  const { csrf_token: token, by } = await server.session.get();
  if (shown !== undefined && shown !== by) {
    location.reload();
    return response;
  }
  return token === null ? response : reached(input, { ...init, headers: withToken(init, token) });
}

/**
 * How long the server may take until it responds, in milliseconds. After a computer slept, it never does. What a person
 * sends can be large, and so can what the server returns.
 */
const longestWait = { read: 20_000, change: 120_000, body: 120_000 } as const;

/** The response. Browsers have words of their own for a server that cannot be reached, in English only. */
async function reached(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const { signal } = init;
  const late = new AbortController();
  const isRead = init.method === undefined || init.method === "GET";
  const timer = setTimeout(() => late.abort(), isRead ? longestWait.read : longestWait.change);
  try {
    const response = await fetch(input, {
      ...init,
      signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
    });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (!isStream) setTimeout(() => late.abort(), longestWait.body); // without effect if the body was read
    return response;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    const language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
    throw new Error(shellTexts[language].unreachable, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** The code of a refusal, read from a copy, so that the body can be read again. */
async function codeOf(response: Response): Promise<unknown> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return (body as { readonly error?: { readonly code?: unknown } } | undefined)?.error?.code; // the form of all refusals
}

function withToken(init: RequestInit | undefined, token: string): Headers {
  const headers = new Headers(init?.headers);
  headers.set("x-undangle-csrf", token);
  return headers;
}
