import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/**
 * Edits a text in a private temporary file. A shell runs the command, as in Git, so it may have options, quotes and
 * variables. If the editor fails, for example with `:cq` in vim, the text is unchanged. Ctrl-C belongs to the editor:
 * the terminal sends it to both, and it must not end the program.
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
    await once(child, "close"); // rejects if the editor cannot be started
    if (child.exitCode === notFound) throw Object.assign(new Error(`${command}: not found`), { code: "ENOENT" });
    return child.exitCode === 0 ? await readFile(file, "utf8") : text;
  } finally {
    process.off("SIGINT", spared);
    await rm(folder, { recursive: true, force: true });
  }
}

/** The exit code of a shell for an unknown command. */
const notFound = 127;

async function spawnEditor(command: string, args: readonly string[]): Promise<ChildProcess> {
  const { spawn } = await import("node:child_process"); // few runs of the program open an editor
  if (process.platform === "win32")
    return spawn(`${command} ${args.map((word) => `"${word}"`).join(" ")}`, { stdio: "inherit", shell: true });
  return spawn("sh", ["-c", `${command} "$@"`, command, ...args], { stdio: "inherit" });
}

/** True for editors that accept `+LINE` before the file. */
const takesLine = (command: string): boolean =>
  /(?:^|[\\/])(?:n?vim?|view|nano|micro|emacs|emacsclient|kak|joe)["']?(?:\s|$)/u.test(command);
