import { readFile, readdir } from "node:fs/promises";

const interval = 250;

/**
 * Calls `onExcess` once if the process `pid` and its descendants use more than `limit` bytes of memory together. The kernel limits only
 * the memory of each process (RLIMIT_DATA); a control group would limit their sum, but few processes may create one.
 */
export function watchMemory(pid: number, limit: number, onExcess: () => void): () => void {
  let isOver = false;
  let isReading = false;
  const look = async (): Promise<void> => {
    const processes = await descendants(pid);
    // Shared pages count for each process in the resident size, which is cheap, and once in the proportional size.
    if ((await sum(processes, "status", /^VmRSS:\s+(\d+)/mu)) <= limit) return;
    if ((await sum(processes, "smaps_rollup", /^Pss:\s+(\d+)/mu)) <= limit || isOver) return;
    isOver = true;
    onExcess();
  };
  const timer = setInterval(() => {
    if (isReading || isOver) return;
    isReading = true;
    void look().finally(() => {
      isReading = false;
    });
  }, interval).unref();
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}

/** A process without a parent becomes a child of the first process of its namespace, so that it is still found. */
async function descendants(pid: number): Promise<readonly number[]> {
  const found = [pid];
  for (const parent of found) found.push(...(await children(parent)));
  return found;
}

async function children(pid: number): Promise<readonly number[]> {
  const tasks = await ifPresent(readdir(`/proc/${pid}/task`), []);
  const lists = tasks.map((task) => ifPresent(readFile(`/proc/${pid}/task/${task}/children`, "latin1"), ""));
  return (await Promise.all(lists)).flatMap((list) => list.split(" ").filter(Boolean)).map(Number);
}

async function sum(processes: readonly number[], file: string, kibibytes: RegExp): Promise<number> {
  const texts = processes.map((pid) => ifPresent(readFile(`/proc/${pid}/${file}`, "latin1"), ""));
  const sizes = (await Promise.all(texts)).map((text) => Number(kibibytes.exec(text)?.[1] ?? 0));
  return sizes.reduce((total, size) => total + size * 1024, 0);
}

/** A process can end while it is read. */
async function ifPresent<Content>(content: Promise<Content>, otherwise: Content): Promise<Content> {
  try {
    return await content;
  } catch {
    return otherwise;
  }
}
