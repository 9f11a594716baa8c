import { constants } from "node:buffer";
import { readFileSync } from "node:fs";
import { constants as os } from "node:os";
import process from "node:process";
import type { WriteStream } from "node:tty";
import type { Input, Io, Output } from "../io.ts";
import { nodeFiles } from "./node-files.ts";
import { nodeTerminal } from "./node-terminal.ts";

/** The environment of this process. */
export function nodeIo(): Io {
  return {
    stdin: nodeInput(process.stdin),
    stdout: nodeOutput(process.stdout),
    stderr: nodeOutput(process.stderr, { heard: false }),
    files: nodeFiles,
    env: process.env,
    folder: process.cwd(),
    terminal: nodeTerminal(process.env),
    version: packageVersion(),
    longestText: constants.MAX_STRING_LENGTH,
    now: () => performance.now(),
    untilStopped: () =>
      new Promise((resolve) => {
        for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
          process.once(signal, () => resolve(128 + os.signals[signal]));
        process.once("disconnect", () => resolve(128 + os.signals.SIGHUP)); // the parent process that opened the channel has ended
      }),
  };
}

function nodeInput(stream: typeof process.stdin): Input {
  return {
    isTTY: stream.isTTY,
    read: () => stream as AsyncIterable<Uint8Array>, // no encoding is set, so that chunks are bytes
    close: () => void stream.destroy(),
  };
}

/** `heard: false` ignores failed writes to stderr, which cannot be reported anywhere. */
function nodeOutput(stream: WriteStream, { heard = true }: { readonly heard?: boolean } = {}): Output {
  // Without a listener, a broken pipe would end the process with a stack trace. The failed write rejects with the same error.
  stream.on("error", () => {});
  const write = (data: string | Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      stream.write(data, (error) => (error && heard ? reject(error) : resolve()));
    });
  return {
    isTTY: stream.isTTY,
    get columns() {
      return stream.columns ?? 80;
    },
    write,
    replaceLine: (text) => write(`\r\u001B[2K${text}`),
  };
}

function packageVersion(): string {
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version; // the package.json of this package
}
