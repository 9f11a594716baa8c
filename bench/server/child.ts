import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A server in a process of its own. */
export interface Child {
  readonly url: string;
  /** What it has used so far: microseconds of CPU time, and bytes of memory. */
  readonly used: () => Promise<{ readonly cpu: number; readonly memory: number }>;
  /** Ends it at once. */
  readonly kill: () => Promise<void>;
}

const program = fileURLToPath(new URL("subject.ts", import.meta.url));

export async function startChild(kind: string, place = "memory"): Promise<Child> {
  const child = spawn(process.execPath, ["--expose-gc", "--no-warnings", program, kind, place], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<Readonly<Record<string, unknown>>> => {
    const line: IteratorResult<string, undefined> = await lines.next();
    if (line.value === undefined) throw new Error("The server has ended.");
    return JSON.parse(line.value) as Readonly<Record<string, unknown>>; // the program wrote it
  };
  const { url } = await answer();
  return {
    url: String(url),
    async used() {
      child.stdin.write("\n");
      const { cpu, memory } = await answer();
      return { cpu: Number(cpu), memory: Number(memory) };
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
