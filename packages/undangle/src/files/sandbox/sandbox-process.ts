import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, readdirSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { UndangleError } from "#core";
import { descriptors, isolation, type SandboxLayout } from "./bwrap-arguments.ts";
import type { SandboxSettings, SandboxUser } from "./sandbox-options.ts";

/** Everything that is needed to start commands. */
export interface Launcher {
  readonly programs: { readonly bwrap: string; readonly prlimit: string };
  /** The folder of the host that is the workspace. */
  readonly root: string;
  readonly layout: SandboxLayout;
  readonly settings: SandboxSettings;
  /** Undefined: the user of the process. */
  readonly user: SandboxUser | undefined;
}

export interface SandboxListener {
  /** With the first process of the namespaces; the others are its descendants. */
  onStart(pid: number): void;
  onOutput(chunk: Uint8Array): void;
  onEnd(end: SandboxEnd): void;
}

export type SandboxEnd =
  | { readonly type: "exited"; readonly exitCode: number }
  /** The sandbox did not start, so the command did not run. */
  | { readonly type: "not-started"; readonly reason: string };

/** How long a killed sandbox may take to end before the next, stronger means. */
const grace = 2000;
const longestReason = 4096;

/**
 * The processes of one command: `sh` outside, with bwrap and `cat` as its children, and the command in the namespaces of bwrap.
 *
 * - Node gives its children sockets, which cannot be opened again as `/dev/stdout`. `cat` gives the command a pipe.
 * - The command starts only when this process has seen the sandbox complete: a script in the sandbox writes one byte and waits for
 *   a line at the gate. If this process has been killed, it reads the end of the input instead, and ends.
 * - Later, a child of `sh` notices the end of this process: it reads a line that never comes. It kills bwrap after a moment, because
 *   a bwrap that is killed while it starts leaves a child process that waits for it.
 * - bwrap's own process in the sandbox dies with bwrap, unless the command has changed it with ptrace. So it is killed by its number, too.
 */
export class SandboxProcess {
  readonly #child: ChildProcess;
  readonly #gate: Writable;
  readonly #lifeline: Writable;
  readonly #listener: SandboxListener;
  #phase: "starting" | "running" | "ended" = "starting";
  #isKilled = false;
  /** When the first process of the namespaces started: its number can belong to another process later. */
  #startedAt: string | undefined;
  #status = "";
  #reason = "";

  constructor(command: string, launcher: Launcher, listener: SandboxListener) {
    this.#child = startProcesses(command, launcher);
    this.#listener = listener;
    const streams: readonly StandardStream[] = this.#child.stdio;
    const [gate, output, errors, status, given, lifeline, ...files] = streams;
    this.#gate = writable(gate);
    const { layout } = launcher;
    writable(given).end(`${layout.arguments.join("\0")}\0`);
    this.#lifeline = writable(lifeline); // open until this process ends
    layout.files.forEach((content, i) => writable(files[i]).end(content));
    readable(output).on("data", (chunk: Buffer) => this.#read(chunk));
    readable(errors).on("data", (chunk: Buffer) => {
      this.#reason = `${this.#reason}${chunk.toString()}`.slice(0, longestReason);
    });
    readable(status).on("data", (chunk: Buffer) => {
      this.#status += chunk.toString();
      if (this.#isKilled) this.#killNamespace();
    });
    this.#child.on("error", (error) => {
      this.#reason ||= error.message;
      if (this.#child.pid === undefined) this.#end();
    });
    this.#child.on("close", () => void this.#waitForNamespace().then(() => this.#end()));
  }

  /** Ends all processes. `onEnd` follows. */
  kill(): void {
    if (this.#isKilled || this.#phase === "ended") return;
    this.#isKilled = true;
    this.#gate.end(); // a command that waits at the gate does not start
    this.#killNamespace();
    setTimeout(() => this.#killGroup(), grace).unref();
  }

  #read(chunk: Uint8Array): void {
    if (this.#phase !== "starting") return this.#listener.onOutput(chunk);
    this.#phase = "running";
    const pid = this.#namespacePid();
    this.#lifeline.write(`${pid ?? ""}\n`);
    if (!this.#isKilled) this.#gate.end("\n");
    if (pid !== undefined) {
      this.#startedAt = startTime(pid);
      this.#listener.onStart(pid);
    }
    if (chunk.length > 1) this.#listener.onOutput(chunk.subarray(1));
  }

  #end(): void {
    if (this.#phase === "ended") return;
    const isStarted = this.#phase === "running";
    this.#phase = "ended";
    // bwrap reports no exit code if it was killed itself.
    const exitCode = Number(/"exit-code": (\d+)/u.exec(this.#status)?.[1] ?? 128 + 9);
    this.#listener.onEnd(
      isStarted
        ? { type: "exited", exitCode }
        : { type: "not-started", reason: this.#reason.trim() || "bwrap ended without a message" },
    );
  }

  /** The first process of the namespaces: all others end with it. bwrap reports it before it lets it run. */
  #namespacePid(): number | undefined {
    const pid = /"child-pid": (\d+)/u.exec(this.#status)?.[1];
    return pid === undefined ? undefined : Number(pid);
  }

  /** bwrap ends with the command, a moment before the kernel has killed the other processes of the namespace. */
  async #waitForNamespace(): Promise<void> {
    const pid = this.#namespacePid();
    if (pid === undefined || this.#startedAt === undefined) return;
    const isAlive = (): boolean => startTime(pid) === this.#startedAt;
    const until = performance.now() + grace;
    if (isAlive()) sendKill(pid);
    while (isAlive() && performance.now() < until) await wait(1);
  }

  /** Leaves bwrap and `cat` alive, so that `cat` passes on what the command has written. */
  #killNamespace(): void {
    const pid = this.#namespacePid();
    // While bwrap is alive, the number belongs to its child.
    if (pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null) sendKill(pid);
  }

  #killGroup(): void {
    if (this.#phase === "ended" || this.#child.pid === undefined) return;
    sendKill(-this.#child.pid);
    setTimeout(() => {
      for (const stream of this.#child.stdio) stream?.destroy();
      this.#end(); // a process in a hanging file system is left to the kernel
    }, grace).unref();
  }
}

function startProcesses(command: string, { programs, layout, settings, user }: Launcher): ChildProcess {
  const nothing = openSync("/dev/null", "r");
  try {
    return spawn(
      "/bin/sh",
      [
        ["-c", scriptOutside, "sh"],
        [programs.bwrap, ...isolation(settings.network)],
        ["--json-status-fd", `${descriptors.status}`, "--args", `${descriptors.arguments}`],
        ["/bin/sh", "-c", scriptInside(programs.prlimit, settings), "sh", command],
      ].flat(),
      {
        env: {}, // what bwrap has in its environment is readable in the sandbox
        cwd: "/",
        detached: true, // a process group of its own
        ...user, // Node also drops the supplementary groups
        stdio: connections(descriptors.firstFile + layout.files.length, nothing),
      },
    );
  } catch (error) {
    throw notSpawned(error);
  } finally {
    closeSync(nothing);
  }
}

/**
 * A pipe for each of the first descriptors. Descriptors that this process has inherited without close-on-exec, such as sockets of a
 * service manager, would be open in the sandbox: they become `/dev/null`.
 */
function connections(count: number, nothing: number): ("pipe" | "ignore" | number)[] {
  const inherited = inheritedDescriptors();
  const length = Math.max(count, ...[...inherited].map((descriptor) => descriptor + 1));
  return Array.from({ length }, (_, i) => (i < count ? "pipe" : inherited.has(i) ? nothing : "ignore"));
}

const closeOnExec = 0o2000000;

function inheritedDescriptors(): ReadonlySet<number> {
  const inherited = readdirSync("/proc/self/fd").filter((name) => {
    const flags = /^flags:\s+(\d+)/mu.exec(descriptorInfo(name))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  });
  return new Set(inherited.map(Number));
}

function descriptorInfo(name: string): string {
  try {
    return readFileSync(`/proc/self/fdinfo/${name}`, "latin1");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return ""; // closed since the folder was read
    throw error;
  }
}

const scriptOutside = [
  `(read -r pid <&${descriptors.lifeline}; read -r line <&${descriptors.lifeline};`,
  `sleep 1; kill -KILL $pid; kill -KILL 0) >/dev/null 2>&1 &`,
  `"$@" ${descriptors.lifeline}<&- | cat; kill -KILL $!; wait`,
].join(" ");

/** Limits are set inside: since Linux 5.14, the processes of a user are counted in each user namespace. */
function scriptInside(prlimit: string, { limits }: SandboxSettings): string {
  const flags = [
    `--data=${limits.memory}`,
    `--nproc=${limits.processes}`,
    `--cpu=${limits.cpuSeconds}`,
    `--fsize=${limits.fileSize}`,
    "--core=0",
  ];
  return `printf .; read -r line || exit 125; exec ${prlimit} ${flags.join(" ")} /bin/sh -c "$1" </dev/null 2>&1`;
}

/** A negative number is a process group. */
function sendKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!hasCode(error, "ESRCH")) throw error; // it has ended
  }
}

/** When a process started, in ticks; undefined if it has ended. It exists as a zombie until its parent notices. */
function startTime(pid: number): string | undefined {
  try {
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /su, "")
      .split(" ");
    return state === "Z" || state === "X" ? undefined : fields[18];
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ESRCH")) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

type StandardStream = ChildProcess["stdio"][number] | undefined;

function readable(stream: StandardStream): Readable {
  if (stream && "read" in stream) return stream;
  throw notSpawned();
}

/** A write can fail only because the reader has ended, and the end of the sandbox reports why. */
function writable(stream: StandardStream): Writable {
  if (stream && "write" in stream) return stream.on("error", () => undefined);
  throw notSpawned();
}

function notSpawned(cause?: unknown): UndangleError {
  const reason = "a process could not be started";
  const install = "Check how many processes and open files are allowed (ulimit -u, ulimit -n).";
  return new UndangleError("sandbox/unavailable", { reason, install }, cause);
}
