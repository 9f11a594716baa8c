import { isAbsolute, normalize } from "node:path";
import { UndangleError } from "#core";

export interface BubblewrapOptions {
  /** True: commands share the network of the host, with every service that listens on it. Default: no network. */
  readonly network?: boolean | undefined;
  /** Environment variables of commands, besides PATH, HOME and LANG. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Absolute paths of the host that commands can read, at the same path. */
  readonly readOnlyPaths?: readonly string[] | undefined;
  /** The user that runs commands if the process is root. Default: the owner of the root folder, or 65534 if that is root. */
  readonly user?: SandboxUser | undefined;
  /** The default timeout of a command in milliseconds. Default: 120,000. */
  readonly timeout?: number | undefined;
  /** The largest timeout in milliseconds that a caller can request. Default: 3,600,000. */
  readonly maxTimeout?: number | undefined;
  /** The number of bytes of output that are kept. Default: 10 MiB. */
  readonly maxOutput?: number | undefined;
  readonly limits?: SandboxLimits | undefined;
}

export interface SandboxUser {
  readonly uid: number;
  readonly gid: number;
}

export interface SandboxLimits {
  /** Bytes of memory. Default: 1 GiB. */
  readonly memory?: number | undefined;
  /** Processes and threads of a command. Default: 256. */
  readonly processes?: number | undefined;
  /** Seconds of CPU time of each process. Default: 3,600. */
  readonly cpuSeconds?: number | undefined;
  /** Bytes of each file that a command writes. Default: 1 GiB. */
  readonly fileSize?: number | undefined;
  /** Bytes in `/tmp`, and in `/dev/shm`. Default: 256 MiB. */
  readonly tmpSize?: number | undefined;
}

/** Options with their defaults. */
export interface SandboxSettings {
  readonly network: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly readOnlyPaths: readonly string[];
  readonly user: SandboxUser | undefined;
  readonly timeout: number;
  readonly maxTimeout: number;
  readonly maxOutput: number;
  readonly limits: { readonly [Name in keyof Required<SandboxLimits>]: number };
}

const mebibyte = 1024 * 1024;
const defaultLimits: SandboxSettings["limits"] = {
  memory: 1024 * mebibyte,
  processes: 256,
  cpuSeconds: 3600,
  fileSize: 1024 * mebibyte,
  tmpSize: 256 * mebibyte,
};

type Check = (option: string, value: unknown) => void;

const checks: Readonly<Record<keyof BubblewrapOptions, Check>> = {
  network: (option, value) => {
    if (typeof value !== "boolean") throw refused(option, value, "true or false");
  },
  env: checkEnvironment,
  readOnlyPaths: checkPaths,
  user: checkUser,
  timeout: checkTime,
  maxTimeout: checkTime,
  maxOutput: checkCount,
  limits: (option, value) => {
    for (const [name, limit] of Object.entries(record(option, value))) {
      if (!Object.hasOwn(defaultLimits, name)) throw unknown(`${option}.${name}`, Object.keys(defaultLimits));
      if (limit !== undefined) checkCount(`${option}.${name}`, limit);
    }
  },
};

export function readOptions(options: BubblewrapOptions = {}): SandboxSettings {
  for (const [option, value] of Object.entries(record("options", options))) {
    const name = option as keyof BubblewrapOptions; // or unknown, which the table decides
    if (!Object.hasOwn(checks, name)) throw unknown(option, Object.keys(checks));
    if (value !== undefined) checks[name](option, value);
  }
  const maxTimeout = options.maxTimeout ?? 3_600_000;
  const timeout = options.timeout ?? Math.min(120_000, maxTimeout);
  if (timeout > maxTimeout) throw refused("timeout", timeout, `at most maxTimeout (${maxTimeout} ms)`);
  return {
    network: options.network ?? false,
    env: options.env ?? {},
    readOnlyPaths: (options.readOnlyPaths ?? []).map((path) => normalize(path)),
    user: options.user,
    timeout,
    maxTimeout,
    maxOutput: options.maxOutput ?? 10 * mebibyte,
    limits: withDefaults(options.limits),
  };
}

function withDefaults(limits: SandboxLimits = {}): SandboxSettings["limits"] {
  const given = Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
  return { ...defaultLimits, ...given };
}

/** A timeout that a caller requests; 0 and undefined are the default. */
export function readTimeout(timeout: number | undefined, settings: SandboxSettings): number {
  if (timeout === undefined || timeout === 0) return settings.timeout;
  if (timeout > 0 && timeout <= settings.maxTimeout) return timeout;
  throw refused("timeout", timeout, `milliseconds, at most ${settings.maxTimeout}`);
}

/** The kernel accepts at most 128 KiB for one argument of a program, with the NUL at its end. */
const longestCommand = 128 * 1024 - 1;

export function checkCommand(command: string): void {
  if (typeof command !== "string" || command.includes("\0")) {
    throw refused("command", command, "a string without NUL characters");
  }
  if (Buffer.byteLength(command) > longestCommand) {
    throw refused("command", `${command.slice(0, 100)}…`, `at most ${longestCommand} bytes: write a script and run it`);
  }
}

export function checkMaxOutput(maxOutput: number | undefined, settings: SandboxSettings): number {
  if (maxOutput === undefined) return settings.maxOutput;
  if (!Number.isInteger(maxOutput) || maxOutput < 0) throw refused("maxOutput", maxOutput, "a number of bytes");
  return maxOutput;
}

function checkCount(option: string, value: unknown): void {
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return;
  throw refused(option, value, "a whole number greater than 0");
}

/** Timers of Node run at most 2^31 - 1 ms. */
const longestTimer = 2_147_483_647;

function checkTime(option: string, value: unknown): void {
  checkCount(option, value);
  if (Number(value) > longestTimer) throw refused(option, value, `at most ${longestTimer} ms`);
}

function checkUser(option: string, value: unknown): void {
  for (const id of ["uid", "gid"]) {
    const number = record(option, value)[id];
    if (!Number.isInteger(number) || Number(number) <= 0) {
      throw refused(`${option}.${id}`, number, "the number of a user or group that is not root");
    }
  }
  const own = process.geteuid?.();
  if (own !== undefined && own !== 0 && record(option, value)["uid"] !== own) {
    throw refused(option, value, `the user of the process (${own}): only root can choose another`);
  }
}

function checkEnvironment(option: string, value: unknown): void {
  for (const [name, text] of Object.entries(record(option, value))) {
    if (!/^[A-Za-z_]\w*$/u.test(name)) throw refused(option, name, "names of letters, digits and _");
    if (typeof text !== "string" || text.includes("\0")) {
      throw refused(`${option}.${name}`, text, "a string without NUL characters");
    }
  }
}

/** What the sandbox provides itself. */
const ownPaths = ["/", "/proc", "/dev", "/tmp", "/workspace"];

function checkPaths(option: string, value: unknown): void {
  if (!Array.isArray(value)) throw refused(option, value, "a list of absolute paths");
  for (const [i, path] of value.entries()) {
    const isPath = typeof path === "string" && isAbsolute(path) && !path.includes("\0");
    if (!isPath) throw refused(`${option}[${i}]`, path, "an absolute path");
    const clean = normalize(path).replace(/(?<=.)\/$/u, "");
    if (ownPaths.includes(clean) || clean.startsWith("/proc/") || clean.startsWith("/dev/")) {
      throw refused(`${option}[${i}]`, path, `a path other than ${ownPaths.join(", ")}`);
    }
  }
}

function record(option: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refused(option, value, "an object");
  return { ...value };
}

function refused(option: string, value: unknown, allowed: string): UndangleError {
  return new UndangleError("options/value", { option, value, allowed: [allowed] });
}

function unknown(option: string, allowed: readonly string[]): UndangleError {
  return new UndangleError("options/unknown", { option, allowed });
}
