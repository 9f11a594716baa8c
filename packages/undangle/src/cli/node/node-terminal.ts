import process from "node:process";
import { StringDecoder } from "node:string_decoder";
import type { Terminal, TerminalListener } from "../io.ts";
import { editText } from "./edit-text.ts";

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
    reflows: reflowsIn(env),
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
      const editor = [env["VISUAL"], env["EDITOR"]]
        .map((command) => command?.trim() ?? "")
        .find((command) => command !== "");
      return editor === undefined ? undefined : editText(editor, text, options);
    },
  };
}

/** False in xterm and in GNU screen, which name themselves; tmux, also inside one of those, breaks lines anew. */
const reflowsIn = (env: Readonly<Record<string, string | undefined>>): boolean =>
  env["TMUX"] !== undefined || (env["XTERM_VERSION"] === undefined && env["STY"] === undefined);

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
