import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** True where programs can be driven through a terminal. */
export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

/** A window with a program in it: what a person would see, and what they type. */
export interface Window {
  /** What is to be seen; with `all`, what has scrolled away too. */
  screen(options?: { readonly all?: boolean }): string;
  /** Types a text, and a key behind it. */
  type(text: string, key?: string): void;
  /** Pastes a text, as terminals do it: in brackets. */
  paste(text: string): void;
  /** Waits for something on the screen, and gives the screen. */
  until(text: string | RegExp): Promise<string>;
  /** Waits until the program has ended, and gives its exit code: as a shell has it, 137 for one that was killed. */
  exit(): Promise<number>;
  resize(columns: number, rows: number): void;
  /** The process that runs in it. */
  pid(): number;
  close(): void;
}

export interface WindowOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

let windows = 0;

/** Opens a window on a server of its own, which knows nothing of the person's sessions and settings. */
export function openWindow(
  command: readonly string[],
  { columns = 80, rows = 24, folder, env = {} }: WindowOptions,
): Window {
  windows += 1;
  const server = `undangle-test-${process.pid}-${windows}`;
  const tmux = (...args: readonly string[]): string => {
    const { stdout, stderr, status } = spawnSync("tmux", ["-u", "-f", "/dev/null", "-L", server, ...args], {
      encoding: "utf8",
      env: { ...process.env, TMUX: undefined },
    });
    if (status !== 0) throw new Error(`tmux ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  const variables = Object.entries({ LANG: "C.UTF-8", LC_ALL: "", NO_COLOR: "", FORCE_COLOR: "", ...env }).flatMap(
    ([name, value]) => (value === "" ? ["-u", name] : [`${name}=${value}`]),
  );
  const [unset, set] = [
    variables.filter((word) => !word.includes("=")),
    variables.filter((word) => word.includes("=")),
  ];
  const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
  const notes = mkdtempSync(join(tmpdir(), "undangle-window-"));
  const [pid, code] = ["pid", "code"].map((name) => join(notes, name)) as [string, string];
  // tmux does not always tell how a program has ended, so that a shell notes it.
  const program = `echo $$ > ${pid}; exec ${["env", ...unset, ...set, ...command].map(quoted).join(" ")}`;
  const line = `sh -c ${quoted(program)}; echo $? > ${code}`;
  const size = ["-x", String(columns), "-y", String(rows)];
  tmux("new-session", "-d", ...size, "-c", folder, line, ";", "set", "remain-on-exit", "on");

  const screen = ({ all = false }: { readonly all?: boolean } = {}): string =>
    tmux("capture-pane", "-p", ...(all ? ["-S", "-"] : [])).trimEnd();
  return {
    screen,
    type(text, key) {
      if (text !== "") tmux("send-keys", "-l", "--", text);
      if (key !== undefined) tmux("send-keys", key);
    },
    paste(text) {
      tmux("set-buffer", "--", text);
      tmux("paste-buffer", "-p");
    },
    async until(text) {
      for (let tries = 0; tries < 400; tries++) {
        const seen = screen();
        if (typeof text === "string" ? seen.includes(text) : text.test(seen)) return seen;
        await pause(50);
      }
      throw new Error(`${String(text)} did not come. On the screen:\n${screen()}`);
    },
    async exit() {
      for (let tries = 0; tries < 400; tries++) {
        const text = noted(code);
        if (text !== "") return Number(text);
        await pause(50);
      }
      throw new Error(`The program did not end. On the screen:\n${screen()}`);
    },
    resize: (wide, high) => void tmux("resize-window", "-x", String(wide), "-y", String(high)),
    pid: () => Number(noted(pid)),
    close() {
      tmux("kill-server");
      rmSync(notes, { recursive: true, force: true });
    },
  };
}

/** What a shell has noted; nothing as long as it has not. */
const noted = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8").trim() : "");
