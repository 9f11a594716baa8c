/** A promise that the test settles when it is time. */
export interface Promised<T = unknown> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

export function promised<T = unknown>(): Promised<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  return { promise, resolve, reject };
}

/** Waits until something holds: it looks after each turn of the event loop, and gives up after ten seconds. */
export async function until(holds: () => unknown): Promise<void> {
  const begin = performance.now();
  while (!(await holds())) {
    if (performance.now() - begin > 10_000) throw new Error(`It never came to be: ${holds.toString()}`);
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
}

/** Lets everything happen that can happen without anybody's help. */
export async function quiet(turns = 20): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise<void>((resolve) => void setImmediate(resolve));
}

/** What a promise gives; an error when that takes too long. */
export async function soon<T>(promise: Promise<T>, milliseconds = 5000): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Nothing came of it in ${milliseconds} ms.`)), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
