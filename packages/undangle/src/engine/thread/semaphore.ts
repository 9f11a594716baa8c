/** Room for so many things at a time. */
export interface Slots {
  /** Takes a place; where there is none, the promise resolves when one has become free. */
  readonly take: () => Promise<void> | undefined;
  /** Gives a place to the one who has waited longest. */
  readonly give: () => void;
}

export function createSlots(free: number): Slots {
  const waiting: (() => void)[] = [];
  let left = free;
  return {
    take() {
      if (left === 0) return new Promise((resolve) => void waiting.push(resolve));
      left--;
      return undefined;
    },
    give() {
      const next = waiting.shift();
      if (next === undefined) left++;
      else next();
    },
  };
}
