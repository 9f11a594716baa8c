import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getuid } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";

import { runIn } from "../memory-io.fixture.ts";
import { directoryFault } from "./chat-files.ts";
import { sit } from "./sitting.fixture.ts";

let folder = "";
let files = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "undangle-chat-files-"));
  files = join(folder, "files");
  mkdirSync(files);
  writeFileSync(join(files, "notes.txt"), "buy milk\nbuy bread\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

const notes = (): string => readFileSync(join(files, "notes.txt"), "utf8");

test("an edit shows its diff, and changes the file only after its approval", async () => {
  const { terminal, say, leave } = await sit(["--files", files]);
  expect(terminal.screen()).toContain("agent files · model demo");
  expect(terminal.screen().replaceAll("\n", " ")).toContain("every change needs your approval");
  await say("replace milk by oat milk in notes.txt", "l later");
  expect(terminal.screen()).toContain("  /notes.txt\n  @@ -1,2 +1,2 @@\n  -buy milk\n  +buy oat milk\n   buy bread\n");
  expect(terminal.screen()).not.toContain("old_string");
  await pause(500);
  terminal.type("r");
  await terminal.until("Reason (optional):");
  await say("", "so it did not run");
  expect(notes()).toBe("buy milk\nbuy bread\n");
  await say("replace milk by oat milk in notes.txt", "l later");
  await pause(500);
  terminal.type("a");
  await terminal.until("Replaced 1 occurrence");
  expect(notes()).toBe("buy oat milk\nbuy bread\n");
  expect((await leave()).exitCode).toBe(0);
});

test("reading needs no approval, and the threads of the chat are not shown", async () => {
  const run = (...argv: readonly string[]) =>
    runIn({ stdin: "", folder: files }, "chat", "--files", ".", "--quiet", ...argv);
  expect(await run("read notes.txt")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("1  buy milk") as string,
  });
  expect(readdirSync(files)).toContain(".undangle");
  expect((await run("list the files")).stdout).not.toContain(".undangle");
  expect((await run("find milk")).stdout).toContain("/notes.txt");
});

test("without a terminal a pending edit is shown with its diff, and the command that decides it has the files", async () => {
  const argv = ["chat", "--files", "files", "replace milk by oat milk in notes.txt"];
  const { exitCode, stderr } = await runIn({ stdin: "", folder }, ...argv);
  expect(exitCode).toBe(3);
  expect(stderr).toContain("    -buy milk\n    +buy oat milk\n");
  expect(stderr).toMatch(/Decide with:\n {2}undangle chat --thread \S+ --files files\n$/u);
  const thread = /--thread (\S+)/u.exec(stderr)?.[1] ?? "";
  const decided = await runIn({ stdin: "", folder }, ...argv.slice(0, 3), "--thread", thread, "--approve", "all");
  expect(decided.exitCode).toBe(0);
  expect(notes()).toBe("buy oat milk\nbuy bread\n");
});

test.each([
  ["gets the files too", "{}"],
  ["uses these files instead of its own", '{ middleware: [{ name: "filesystem", tools: [] }] }'],
])("a configured agent %s", async (_, agent) => {
  writeFileSync(join(folder, "undangle.config.mjs"), `export default { agents: { clerk: ${agent} } };`);
  const { exitCode, stderr } = await runIn({ stdin: "", folder }, "chat", "--files", "files", "delete notes.txt");
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('delete {"file_path":"notes.txt"}') as string]);
  expect(notes()).toContain("milk");
});

test.each([
  ["missing", "none", "There is no directory", "不存在"],
  ["not-directory", "files/notes.txt", "is a file. Give its directory with --files.", "是文件"],
])("a directory that cannot be used: %s", async (fault, path, english, chinese) => {
  expect(await directoryFault(join(folder, path))).toBe(fault);
  const run = (...argv: readonly string[]) => runIn({ stdin: "", folder }, "chat", "--files", path, "hi", ...argv);
  const refused = { exitCode: 2, stderr: expect.stringContaining(english) as string };
  expect(await run()).toMatchObject(refused);
  expect((await run("--language", "zh")).stderr).toContain(chinese);
  expect(readdirSync(folder)).toEqual(["files"]); // no store was created
});

test.skipIf(getuid?.() === 0)("a directory that the user cannot list is refused", async () => {
  chmodSync(files, 0o000);
  expect(await directoryFault(files)).toBe("denied");
  chmodSync(files, 0o700);
});

test("/mode accept-edits changes a file without a prompt, and /mode plan does not change it", async () => {
  const { terminal, say, leave } = await sit(["--files", files]);
  await say("/mode", "that of the agent");
  await say("/mode sometimes", "Usage: /mode read-only|plan|ask|accept-edits");
  await say("/mode accept-edits", "your next messages: accept-edits");
  await say("replace milk by oat milk in notes.txt", "Replaced 1 occurrence");
  expect(terminal.screen()).not.toContain("l later");
  expect(notes()).toBe("buy oat milk\nbuy bread\n");
  await say("/mode plan", "your next messages: plan");
  await say("replace bread by rye bread in notes.txt", "I have no tool for");
  expect(notes()).toBe("buy oat milk\nbuy bread\n");
  expect((await leave()).exitCode).toBe(0);
});

test("--mode applies to messages without a terminal", async () => {
  const run = (mode: string) =>
    runIn({ stdin: "", folder }, "chat", "--files", "files", "--mode", mode, "replace milk by tea in notes.txt");
  expect((await run("plan")).stderr).not.toContain("wait");
  expect(notes()).toBe("buy milk\nbuy bread\n");
  expect((await run("accept-edits")).exitCode).toBe(0);
  expect(notes()).toBe("buy tea\nbuy bread\n");
  expect(await run("yolo")).toMatchObject({ exitCode: 2 });
});
