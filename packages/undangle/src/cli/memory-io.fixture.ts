import { Buffer } from "node:buffer";
import { main } from "./main.ts";
import type { Io, Terminal } from "./io.ts";

/** A world in memory: files by name, what is piped in, and what was written where. */
export interface World {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** What is piped in; left out, a person sits at the keyboard. */
  readonly stdin?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** A person looks at the output. */
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly longestText?: number;
  /** Where the program was started. */
  readonly folder?: string;
  /** Where a person sits; then time passes. */
  readonly terminal?: Terminal;
  /** Resolves when the program is told to end, to its exit code. */
  readonly stopped?: Promise<number>;
  /** The reader of stdout goes away after so many bytes. */
  readonly stdoutBreaksAfter?: number;
}

/** What a command line did to its world. */
export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Runs one command line in a world of its own. */
export async function runIn(world: World, ...argv: readonly string[]): Promise<Outcome> {
  const files = new Map<string, Buffer>();
  for (const [name, content] of Object.entries(world.files ?? {})) files.set(name, Buffer.from(content));
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const exitCode = await main(argv, memoryIo(world, { files, stdout, stderr }));
  return {
    exitCode,
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
    files: Object.fromEntries([...files].map(([name, bytes]) => [name, bytes.toString()])),
  };
}

interface Memory {
  readonly files: Map<string, Buffer>;
  readonly stdout: Buffer[];
  readonly stderr: Buffer[];
}

function memoryIo(world: World, { files, stdout, stderr }: Memory): Io {
  const { stdin, isTTY = false, columns = 80, stdoutBreaksAfter = Infinity } = world;
  const output = (target: Buffer[], limit: number): Io["stdout"] => {
    const write = (data: string | Uint8Array): Promise<void> => {
      const length = target.reduce((sum, chunk) => sum + chunk.length, 0);
      if (length >= limit) return Promise.reject(systemError("EPIPE"));
      target.push(Buffer.from(data));
      return Promise.resolve();
    };
    return { isTTY, columns, write, replaceLine: (text) => write(`\r${text}`) };
  };
  return {
    stdin: { isTTY: stdin === undefined, read: () => inChunks(Buffer.from(stdin ?? "")), close: () => {} },
    stdout: output(stdout, stdoutBreaksAfter),
    stderr: output(stderr, Infinity),
    env: world.env ?? {},
    folder: world.folder ?? "/nowhere",
    terminal: world.terminal,
    version: "1.2.3",
    longestText: world.longestText ?? Infinity,
    now: world.terminal === undefined ? () => 0 : () => performance.now(),
    untilStopped: () => world.stopped ?? new Promise(() => undefined),
    files: {
      read: (path) => inChunks(files.get(path)),
      size: (path) => Promise.resolve(files.get(path)?.length),
      isSame: (one, other) => Promise.resolve(one === other),
      replace(path, { keepBackup }) {
        const written: Buffer[] = [];
        return Promise.resolve({
          write: (data) => Promise.resolve(void written.push(Buffer.from(data))),
          discard: () => Promise.resolve(),
          commit() {
            const old = files.get(path);
            if (keepBackup && old !== undefined) files.set(`${path}.bak`, old);
            files.set(path, Buffer.concat(written));
            return Promise.resolve({ backup: keepBackup ? `${path}.bak` : undefined });
          },
        });
      },
    },
  };
}

/** Seven bytes at a time, so that characters and lines are cut. */
async function* inChunks(bytes: Buffer | undefined): AsyncGenerator<Uint8Array, void, undefined> {
  if (bytes === undefined) throw systemError("ENOENT");
  for (let start = 0; start < bytes.length; start += 7) yield await Promise.resolve(bytes.subarray(start, start + 7));
}

const systemError = (code: string): Error => Object.assign(new Error(code), { code });
