import process from "node:process";
import { StringDecoder } from "node:string_decoder";
import type { Terminal, TerminalListener } from "../io.ts";
import { editText } from "./edit-text.ts";

/** The terminal of this process; undefined if stdin or stdout is not a terminal, or the terminal can only print. */
export function nodeTerminal(env: Readonly<Record<string, string | undefined>>): Terminal | undefined {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY || env["TERM"] === "dumb") return undefined;
  let letGo = (): void => {};
  return {
    get columns() {
      return stdout.columns || 80; // some terminals report 0 while the size is unknown
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

/** False in xterm and GNU screen, which identify themselves. tmux rewraps lines, even inside one of those. */
const reflowsIn = (env: Readonly<Record<string, string | undefined>>): boolean =>
  env["TMUX"] !== undefined || (env["XTERM_VERSION"] === undefined && env["STY"] === undefined);

const pasteInBrackets = "\u001B[?2004h";
const pasteAsKeys = "\u001B[?2004l";

/** Listens to all events of a terminal. The returned function stops it. */
function listen(listener: TerminalListener): () => void {
  const decoder = new StringDecoder("utf8"); // a character may be split over two chunks
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
