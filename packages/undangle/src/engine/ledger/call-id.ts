/** The ledger's own name of a call, by its number in the thread. */
export const callId = (number: number): string => `call_${number + 1}`;

/** The number of the first call that can come behind calls with these ids, and behind so many. */
export function nextNumber(count: number, ids: readonly string[]): number {
  return ids.reduce((next, id) => Math.max(next, Number(id.slice("call_".length)) || 0), count + ids.length);
}
