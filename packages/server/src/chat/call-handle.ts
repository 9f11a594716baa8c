/**
 * The id under which a caller gets a call of a thread. It leads back to the thread, so that a client which knows nothing of
 * threads can send its result; no longer than the 40 characters that OpenAI takes.
 */
export function handleOf(threadId: string, callId: string): string {
  const number = /^call_(\d+)$/u.exec(callId)?.[1];
  const compact = threadId.replaceAll("-", "");
  return number !== undefined && isOurs(threadId) && compact.length + number.length + 6 <= 40
    ? `call_${compact}_${number}`
    : callId;
}

/** The thread and the call of such an id; undefined for an id that leads nowhere. */
export function readHandle(handle: unknown): { readonly threadId: string; readonly callId: string } | undefined {
  const [, hex, number] = (typeof handle === "string" ? /^call_([\da-f]{32})_(\d+)$/u.exec(handle) : null) ?? [];
  if (hex === undefined || number === undefined) return undefined;
  const threadId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5");
  return { threadId, callId: `call_${number}` };
}

/** True for ids that the server makes itself. */
const isOurs = (threadId: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u.test(threadId);
