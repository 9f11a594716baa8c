import { hash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The unique name of this process: the scope of its process id, the id, and its start time. */
export const processName = (): string => {
  known ??= `${place()}/${process.pid}/${lifeOf(process.pid)?.begin ?? ""}`;
  return known;
};

let known: string | undefined;

/** True for the name of a process of this machine that has ended. A suffix is allowed: `${processName()}/1`. */
export function hasProcessEnded(name: string): boolean {
  const [there, pid = "", begin = ""] = name.split("/");
  if (there !== place() || !/^\d+$/u.test(pid)) return false;
  const now = lifeOf(Number(pid));
  if (now !== undefined && begin !== "") return now.hasEnded || now.begin !== begin; // another process may have the same id by now
  return !isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

let knownPlace: string | undefined;

/** The scope in which process ids are unique: this boot of the machine, and the container. */
function place(): string {
  knownPlace ??= hash("sha256", [hostname(), bootId(), processNamespace()].join("\n"), "hex").slice(0, 16);
  return knownPlace;
}

/** The state of a process according to the system. Undefined if there is no such process, or if it cannot be determined. */
function lifeOf(pid: number): { readonly hasEnded: boolean; readonly begin: string } | undefined {
  const stat = orNothing(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the process name, in brackets, may contain any character
  const begin = rest[18]; // in clock ticks since boot
  return begin === undefined ? undefined : { hasEnded: state === "Z" || state === "X", begin };
}

const bootId = (): string => orNothing(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"));
const processNamespace = (): string => orNothing(() => readlinkSync("/proc/self/ns/pid"));

function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return ""; // the file does not exist on this system, or the process has ended
  }
}
