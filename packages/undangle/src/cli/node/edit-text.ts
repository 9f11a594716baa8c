import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/**
 * Has a text edited in a file that nobody else can read, and that is gone afterwards. A shell reads the command, as with Git:
 * it may have options, quotes and variables. An editor that fails, `:cq` of vim for instance, has changed nothing. Ctrl-C is the
 * editor's: the terminal sends it to both, and it must not end the program.
 */
export async function editText(
  command: string,
  text: string,
  { name, line }: { readonly name: string; readonly line: number },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "undangle-"));
  const file = join(folder, name);
  const spared = (): void => {};
  process.on("SIGINT", spared);
  try {
    await writeFile(file, text, { mode: 0o600 });
    const child = await spawnEditor(command, [...(line > 1 && takesLine(command) ? [`+${line}`] : []), file]);
    await once(child, "close"); // rejects when it cannot be started
    if (child.exitCode === notFound) throw Object.assign(new Error(`${command}: not found`), { code: "ENOENT" });
    return child.exitCode === 0 ? await readFile(file, "utf8") : text;
  } finally {
    process.off("SIGINT", spared);
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a shell says of a command that there is not. */
const notFound = 127;

async function spawnEditor(command: string, args: readonly string[]): Promise<ChildProcess> {
  const { spawn } = await import("node:child_process"); // few runs of the program open an editor
  if (process.platform === "win32")
    return spawn(`${command} ${args.map((word) => `"${word}"`).join(" ")}`, { stdio: "inherit", shell: true });
  return spawn("sh", ["-c", `${command} "$@"`, command, ...args], { stdio: "inherit" });
}

/** True for editors that can be opened at a line: `+12` before the file. */
const takesLine = (command: string): boolean =>
  /(?:^|[\\/])(?:n?vim?|view|nano|micro|emacs|emacsclient|kak|joe)["']?(?:\s|$)/u.test(command);
