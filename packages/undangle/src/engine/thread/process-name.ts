import { hash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The name of this process, which no other process has: where its process id is valid, the id, and when it began. */
export const processName = (): string => {
  known ??= `${place()}/${process.pid}/${lifeOf(process.pid)?.begin ?? ""}`;
  return known;
};

let known: string | undefined;

/** True for the name of a process of this machine that has ended, also with more after it: `${processName()}/1`. */
export function hasProcessEnded(name: string): boolean {
  const [there, pid = "", begin = ""] = name.split("/");
  if (there !== place() || !/^\d+$/u.test(pid)) return false;
  const now = lifeOf(Number(pid));
  if (now !== undefined && begin !== "") return now.hasEnded || now.begin !== begin; // its number may be another's by now
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

/** Where process ids mean the same: this start of this machine, and what its container sees of it. */
function place(): string {
  knownPlace ??= hash("sha256", [hostname(), bootId(), processNamespace()].join("\n"), "hex").slice(0, 16);
  return knownPlace;
}

/** What the system says of a process; undefined where there is none, or no way to know. */
function lifeOf(pid: number): { readonly hasEnded: boolean; readonly begin: string } | undefined {
  const stat = orNothing(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // its own name, in brackets, may hold anything
  const begin = rest[18]; // in ticks since the machine began
  return begin === undefined ? undefined : { hasEnded: state === "Z" || state === "X", begin };
}

const bootId = (): string => orNothing(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"));
const processNamespace = (): string => orNothing(() => readlinkSync("/proc/self/ns/pid"));

function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return ""; // there is no such thing on this system, or no such process
  }
}
