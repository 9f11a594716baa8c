import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";

import type { AgentEvent } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";

import { runIn } from "../memory-io.fixture.ts";
import { createDeep } from "./deep-agent.ts";
import { sit } from "./sitting.fixture.ts";

const research = "Research electric bikes.";
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "undangle-deep-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const inLines = (...args: readonly string[]) => runIn({ stdin: "", folder }, "chat", "--deep", ...args);

/** A prompt ignores keys in its first moment. */
const moment = (): Promise<void> => pause(500);

test("calls of sub-agents are decided like others, also when the thread is opened again", async () => {
  const first = await sit(["--deep", "--thread", "bikes"], { folder, rows: 40 });
  await first.say(research, /\? task#call_\d > write_file waits for your decision/u);
  const isSecond = first.terminal.screen().includes("? task#call_3"); // the tasks run at the same time
  const other = `? task#${isSecond ? "call_2" : "call_3"} > write_file waits for your decision`;
  expect(first.terminal.screen()).toContain("    ▸ Research costs and risks\n    ○ Read the notes and report\n");
  await moment();
  first.terminal.type("a");
  await first.terminal.until(other);
  await moment();
  first.terminal.type("l");
  await first.terminal.until("/pending shows it again");
  await first.rest();
  expect(first.terminal.screen()).not.toContain(other); // put off until the person asks for it
  await first.leave();

  const again = await sit(["--deep", "--thread", "bikes"], { folder, rows: 40 });
  await again.terminal.until(other);
  await moment();
  again.terminal.type("r");
  await again.terminal.until("Reason (optional):");
  await again.say("too expensive", /- .*: no notes were saved/u);
  expect(again.terminal.screen()).toMatch(
    /✓ [23] task\(.*\n {4}⊘ write_file\(.*rejected\n {8}too expensive\n {4}The notes/u,
  );
  expect(again.terminal.screen()).toMatch(/write_todos\(2 of 3 done\)/u);
  expect(again.terminal.screen()).not.toContain("I write down what I found"); // the text of a sub-agent
  await again.leave();
});

test("with a directory, changes by sub-agents wait, and nothing else is written there", async () => {
  mkdirSync(join(folder, "files"));
  const first = await inLines("--files", "files", "--thread", "t", research);
  expect(first.exitCode).toBe(3);
  expect(readdirSync(join(folder, "files"))).toEqual([]);
  expect(first.stderr).toContain("undangle chat --thread t --files files --deep\n");
  expect(first.stderr).not.toContain("threads decide");
  const second = await inLines("--files", "files", "--thread", "t", "--approve", "all");
  expect(second).toMatchObject({ exitCode: 0 });
  expect(readFileSync(join(folder, "files/notes/costs.md"), "utf8")).toContain("# electric bikes: costs and risks");
});

test("without a terminal, calls of sub-agents are told with their path, and their text is not", async () => {
  const { exitCode, stdout, stderr } = await inLines("--approve", "all", research);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^I write down the steps first\.\nTwo sub-agents .*\nI read the notes\.\nThe research about/u);
  expect(stdout).not.toContain("what I found");
  expect(stderr).toMatch(/✓ task#call_2 > write_file\(file_path: "\/notes\/options\.md".*approved\n/u);
  expect(stderr).toMatch(/✓ 4 read_file\(/u);
  expect(stderr).toContain("write_todos(3 of 3 done)");
});

test("as JSON, events of sub-agents have their path, and their calls are decided by id", async () => {
  const lines = async (stdin: string) => {
    const { stdout, exitCode } = await runIn({ stdin, folder }, "chat", "--deep", "--json", "--thread", "j");
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as AgentEvent); // what the program has written
    return { events, exitCode };
  };
  const first = await lines(`${JSON.stringify({ message: research })}\n`);
  expect(first.exitCode).toBe(3);
  const asked = first.events.filter(({ type, path }) => type === "approval_required" && path !== undefined);
  expect(new Set(asked.map(({ path }) => path?.join()))).toEqual(new Set(["call_2", "call_3"]));
  expect(first.events.some(({ type, path }) => type === "text_delta" && path?.[0] === "call_2")).toBe(true);
  const approve = { type: "approve" };
  const decide = { "call_2/call_1": approve, "call_3/call_1": approve };
  const second = await lines(`${JSON.stringify({ decide })}\n`);
  expect(second.exitCode).toBe(0);
  expect(second.events.at(-1)).toMatchObject({ type: "run_end", data: { status: "done" } });
});

test("in Chinese, the demo plays the same task", async () => {
  const { stdout } = await inLines("--language", "zh", "--approve", "all", "调研电动自行车。");
  expect(stdout).toContain("关于“电动自行车”的调研已完成：");
});

test("AGENTS.md and skills of the directory are known to the model, and the threads of the chat are not", async () => {
  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("AGENTS.md", "Always answer in verse.");
  write(".undangle/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
  write(".undangle/threads.txt", "secret");
  const read = (path: string) => ({ calls: [{ name: "read_file", arguments: { file_path: path } }] });
  const model = scriptedModel([read("/.undangle/skills/tea/SKILL.md"), read("/.undangle/threads.txt"), { text: "ok" }]);
  const agent = createDeep({ model, store: memoryStore() }, { files: folder, isPretend: true });
  const thread = agent.thread("t");
  expect(await thread.send("go").result).toMatchObject({ status: "done" });
  const system = model.requests[0]?.system.map(({ text }) => text).join("");
  expect(system).toContain("Always answer in verse.");
  expect(system).toContain("Makes tea.");
  const [skill, secret] = await thread.calls();
  expect(skill).toMatchObject({ status: "succeeded", result: expect.stringContaining("Boil water.") as string });
  expect(secret).toMatchObject({ status: "failed" });
  await agent.close();
});
