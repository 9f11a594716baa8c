import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A Postgres that ends with this process, whatever becomes of it. */
export interface PostgresServer {
  /** The address of its first database, with the password of a superuser. */
  readonly url: string;
  /** Kills it in the middle of everything, or starts it again. */
  readonly tell: (what: "restart" | "stop" | "start") => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What the program says: where it is, that something is done, or what went wrong. */
interface Said {
  readonly url?: string;
  readonly problem?: string;
}

const program = fileURLToPath(new URL("server-program.ts", import.meta.url));

/** Starts a Postgres of its own. */
export async function startServer(): Promise<PostgresServer> {
  const child = spawn(process.execPath, ["--conditions=undangle-source", "--no-warnings", program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<Said> => {
    const line: IteratorResult<string, undefined> = await lines.next();
    if (line.value === undefined) throw new Error("The Postgres for tests has ended.");
    const said = JSON.parse(line.value) as Said; // the program wrote it
    if (said.problem !== undefined) throw new Error(said.problem);
    return said;
  };
  const { url = "" } = await answer();
  return {
    url,
    async tell(what) {
      child.stdin.write(`${what}\n`);
      await answer();
    },
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
