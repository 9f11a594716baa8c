import { accessSync, constants, readFileSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { UndangleError } from "#core";
import { layOut } from "./bwrap-arguments.ts";
import { runCommand } from "./run-command.ts";
import type { SandboxSettings, SandboxUser } from "./sandbox-options.ts";
import type { Launcher } from "./sandbox-process.ts";

const timeout = 5000;

/** Finds the programs and runs one command. Throws `sandbox/unavailable` if commands cannot run here. */
export async function probe(root: string, settings: SandboxSettings): Promise<Launcher> {
  if (process.platform !== "linux") {
    throw unavailable(`bubblewrap needs Linux, and this is ${process.platform}`, ownSandbox);
  }
  const programs = {
    bwrap: findProgram("bwrap", searchPath(), installBubblewrap),
    prlimit: findProgram("prlimit", ["/usr/bin", "/bin"], installUtilLinux), // it runs in the sandbox
  };
  const folder = await openRoot(root, settings);
  const launcher = { programs, layout: layOut(folder.path, settings), settings, root: folder.path, user: folder.user };
  await runProbe(launcher);
  return launcher;
}

/** The folder of the workspace, and who runs commands in it. */
async function openRoot(root: string, settings: SandboxSettings): Promise<RootFolder> {
  const path = await realpath(root).catch(() => {
    throw unavailable("the root folder does not exist", "Create it.");
  });
  if (path === "/") {
    throw new UndangleError("options/value", { option: "root", value: root, allowed: ["a folder below /"] });
  }
  if (process.geteuid?.() !== 0) return { path, user: undefined };
  const { uid, gid } = await stat(path);
  return { path, user: settings.user ?? (uid === 0 ? unprivileged : { uid, gid: gid || unprivileged.gid }) };
}

interface RootFolder {
  readonly path: string;
  readonly user: SandboxUser | undefined;
}

/** `nobody` and `nogroup` on Linux. */
const unprivileged = { uid: 65_534, gid: 65_534 };

async function runProbe(launcher: Launcher): Promise<void> {
  const { signal } = new AbortController();
  const end = await runCommand("(true); test -w /workspace", launcher, { timeout, signal, maxOutput: 1000 });
  if (end.type === "killed")
    throw unavailable(`the first command did not end within ${timeout / 1000} s`, "Try again.");
  if (end.type === "not-started") throw notStarted(end.reason, launcher);
  const output = Buffer.from(end.output).toString().trim();
  if (output !== "") throw unavailable(`the first command failed: ${output}`, checkLimits);
  if (end.exitCode !== 0) throw notWritable(launcher);
}

/** bwrap's message, as a reason and what to do. */
export function notStarted(message: string, launcher: Launcher): UndangleError {
  if (message.includes("--disable-userns")) return unavailable("bubblewrap is older than 0.8", installBubblewrap);
  if (/permissions to creat|creating new namespace|uid map|loopback|setting up .*namespace/iu.test(message)) {
    return unavailable(`user namespaces are not allowed (${message})`, allowNamespaces());
  }
  if (message.includes(launcher.root) || message.includes("/workspace")) return notWritable(launcher);
  return unavailable(message, checkLimits);
}

function notWritable(launcher: Launcher): UndangleError {
  const user = launcher.user?.uid ?? process.geteuid?.();
  return unavailable(
    `the user ${user}, who runs commands, cannot write in the root folder`,
    `Give the folder to that user (chown -R ${user}, on a path that the user can enter), or give the option user.`,
  );
}

const ownSandbox =
  "Run the agent in a Linux container or virtual machine, or supply a sandbox with an execute() of its own.";
const installBubblewrap =
  "Install version 0.8 or later: apt-get install bubblewrap, dnf install bubblewrap, apk add bubblewrap.";
const installUtilLinux = "Install it: apt-get install util-linux, dnf install util-linux, apk add util-linux-misc.";
const checkLimits = "Check readOnlyPaths and limits of the sandbox, and the limits of the process (ulimit -a).";

/** The first setting of the kernel that forbids user namespaces. */
function allowNamespaces(): string {
  const settings = [
    ["kernel.unprivileged_userns_clone", "0", "1"],
    ["kernel.apparmor_restrict_unprivileged_userns", "1", "0"],
    ["user.max_user_namespaces", "0", "10000"],
  ] as const;
  const found = settings.find(([name, forbidden]) => kernelSetting(name) === forbidden);
  if (found !== undefined) return `Allow them: sysctl ${found[0]}=${found[2]}.`;
  return "Allow them: sysctl kernel.unprivileged_userns_clone=1, or in Docker --security-opt seccomp=unconfined.";
}

function kernelSetting(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name.replaceAll(".", "/")}`, "latin1").trim();
  } catch {
    return undefined; // this kernel does not have it
  }
}

function searchPath(): readonly string[] {
  return (process.env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
}

function findProgram(name: string, folders: readonly string[], install: string): string {
  const path = folders.map((folder) => join(folder, name)).find(isExecutable);
  if (path === undefined) throw unavailable(`the program ${name} is not installed`, install);
  return path;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function unavailable(reason: string, install: string): UndangleError {
  return new UndangleError("sandbox/unavailable", { reason, install });
}
