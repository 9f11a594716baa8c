import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { StringDecoder } from "node:string_decoder";
import type { Terminal, TerminalListener } from "../io.ts";

/** The terminal of this process; undefined where a program reads or writes, or the terminal can do nothing but print. */
export function nodeTerminal(env: Readonly<Record<string, string | undefined>>): Terminal | undefined {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY || env["TERM"] === "dumb") return undefined;
  let letGo = (): void => {};
  return {
    get columns() {
      return stdout.columns || 80; // some say 0 while they do not know
    },
    get rows() {
      return stdout.rows || 24;
    },
    write: (text) => void stdout.write(text),
    take(listener) {
      letGo = listen(listener);
      stdin.setRawMode(true);
      stdin.resume();
      stdout.write(pasteInBrackets);
    },
    release() {
      letGo();
      stdout.write(pasteAsKeys);
      stdin.setRawMode(false);
      stdin.pause();
    },
    edit: async (text, options) => {
      const [editor, ...args] = (env["VISUAL"] ?? env["EDITOR"] ?? "").split(/\s+/u).filter((word) => word !== "");
      return editor === undefined ? undefined : editIn([editor, ...args], text, options);
    },
  };
}

const pasteInBrackets = "\u001B[?2004h";
const pasteAsKeys = "\u001B[?2004l";

/** Hears everything that concerns a terminal; what is returned stops that. */
function listen(listener: TerminalListener): () => void {
  const decoder = new StringDecoder("utf8"); // a character may come in two pieces
  const onData = (chunk: Uint8Array): void => listener.typed(decoder.write(chunk));
  const resized = (): void => listener.resized();
  const ended = (): void => listener.ended();
  const { stdin, stdout } = process;
  const signals = ["SIGTERM", "SIGHUP"] as const;
  stdin.on("data", onData).on("end", ended).on("error", ended);
  stdout.on("resize", resized);
  for (const signal of signals) process.on(signal, ended);
  return () => {
    stdin.off("data", onData).off("end", ended).off("error", ended);
    stdout.off("resize", resized);
    for (const signal of signals) process.off(signal, ended);
  };
}

/**
 * Has a text edited in a file that nobody else can read, and that is gone afterwards. An editor that fails, `:cq` of vim for
 * instance, has changed nothing. Ctrl-C is the editor's: the terminal sends it to both, and it must not end the program.
 */
async function editIn(
  [command = "", ...args]: readonly string[],
  text: string,
  { name, line }: { readonly name: string; readonly line: number },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "undangle-"));
  const file = join(folder, name);
  const spared = (): void => {};
  process.on("SIGINT", spared);
  try {
    await writeFile(file, text, { mode: 0o600 });
    const isPlaced = line > 1 && /(?:^|[\\/])(?:n?vim?|view|nano|micro|emacs|emacsclient|kak|joe)$/u.test(command);
    const child = spawn(command, [...args, ...(isPlaced ? [`+${line}`] : []), file], { stdio: "inherit" });
    await once(child, "close"); // rejects when it cannot be started
    return child.exitCode === 0 ? await readFile(file, "utf8") : text;
  } finally {
    process.off("SIGINT", spared);
    await rm(folder, { recursive: true, force: true });
  }
}
