/** Runs the work on one key one after the other. Different keys do not wait for each other. */
export type Serial = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createSerial(): Serial {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = tails.get(key);
    const { promise: tail, resolve: finish } = Promise.withResolvers<void>();
    tails.set(key, tail);
    try {
      await before;
      return await work();
    } finally {
      finish();
      if (tails.get(key) === tail) tails.delete(key);
    }
  };
}
