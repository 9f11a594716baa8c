/** Runs writes of the same key one after the other, in the order of the calls. */
export type WriteOrder = <Value>(key: string, write: () => Promise<Value>) => Promise<Value>;

export function createWriteOrder(): WriteOrder {
  const lastWrites = new Map<string, Promise<void>>();
  return (key, write) => {
    const before = lastWrites.get(key);
    const written = before === undefined ? write() : before.then(write);
    const settled = written.then(
      () => undefined,
      () => undefined, // the caller handles it
    );
    lastWrites.set(key, settled);
    void settled.then(() => lastWrites.get(key) === settled && lastWrites.delete(key));
    return written;
  };
}
