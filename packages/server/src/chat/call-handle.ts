/**
 * The id of a thread's call for the client. It encodes the thread, so that a client without thread ids can send the
 * result. It has at most 40 characters, the limit of OpenAI.
 */
export function handleOf(threadId: string, callId: string): string {
  const number = /^call_(\d+)$/u.exec(callId)?.[1];
  const compact = threadId.replaceAll("-", "");
  return number !== undefined && isOurs(threadId) && compact.length + number.length + 6 <= 40
    ? `call_${compact}_${number}`
    : callId;
}

/** The thread and the call of such an id; undefined for any other id. */
export function readHandle(handle: unknown): { readonly threadId: string; readonly callId: string } | undefined {
  const [, hex, number] = (typeof handle === "string" ? /^call_([\da-f]{32})_(\d+)$/u.exec(handle) : null) ?? [];
  if (hex === undefined || number === undefined) return undefined;
  const threadId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5");
  return { threadId, callId: `call_${number}` };
}

/** True for thread ids that the server generates. */
const isOurs = (threadId: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u.test(threadId);
