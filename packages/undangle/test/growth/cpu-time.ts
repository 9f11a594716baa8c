/** The CPU time of this thread that a run takes, in milliseconds: the least of five, so that other work counts for little. */
async function cpuTimeOf(run: () => unknown): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 5; i++) least = Math.min(least, await once(run));
  return least;
}

async function once(run: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** What grows less than this is linear for certain. */
const linear = 2.6;

/** Time that is too short to be compared: clocks of threads are coarse. What is not linear takes far longer for the sizes used here. */
const leastMeasured = 20;

/**
 * How many times longer the run takes for an input of twice the size; 0 where both are too short to be compared. One run of each
 * decides where it shows linear growth; else the least of five runs does, up to three times, because collections of garbage come
 * at any time.
 */
export async function growthOf(run: (size: number) => unknown, size: number): Promise<number> {
  const first = await once(() => run(size));
  const second = await once(() => run(2 * size));
  if (second < leastMeasured || second < linear * first) return second / Math.max(first, leastMeasured);
  let least = Infinity;
  for (let tries = 0; tries < 3 && least > linear; tries++) {
    const [one, two] = [await cpuTimeOf(() => run(size)), await cpuTimeOf(() => run(2 * size))];
    least = Math.min(least, two < leastMeasured ? 0 : two / Math.max(one, leastMeasured / 2));
  }
  return least;
}
