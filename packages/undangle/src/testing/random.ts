/** A seeded random number generator. */
export interface Random {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly next: () => number;
  /** An integer from 0 (inclusive) to `limit` (exclusive). */
  readonly below: (limit: number) => number;
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { next, below: (limit) => Math.floor(next() * limit) };
}
