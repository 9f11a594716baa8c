/** The ledger's id of a call, by its number in the thread. */
export const callId = (number: number): string => `call_${number + 1}`;

/** The next free call number after calls with these ids and this count. */
export function nextNumber(count: number, ids: readonly string[]): number {
  return ids.reduce((next, id) => Math.max(next, Number(id.slice("call_".length)) || 0), count + ids.length);
}
