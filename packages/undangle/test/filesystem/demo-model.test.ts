import { describe, expect, test } from "vitest";
import { createAgent, filesystem } from "undangle/agent";
import { memoryFiles } from "undangle/files";
import { demoModel } from "undangle/models";

const agentIn = (language: "en" | "zh") =>
  createAgent({
    model: demoModel({ pace: 0 }),
    language,
    middleware: [filesystem({ backend: memoryFiles({ "/notes.txt": "1.0: buy milk\nTODO: call Ada\n" }) })],
    approvals: [{ tools: "*" }],
  });

const edit = (from: string, to: string) => ({ file_path: "notes.txt", old_string: from, new_string: to });

describe.each(["en", "zh"] as const)("the demo model with tools that are described in the language %s", (language) => {
  test.each([
    ["list the files", "ls", {}],
    ["List the files in docs/guide", "ls", { path: "docs/guide" }],
    ["read notes.txt", "read_file", { file_path: "notes.txt" }],
    ["Show me the file src/app.ts.", "read_file", { file_path: "src/app.ts" }],
    ["create hello.txt with the text hi", "write_file", { file_path: "hello.txt", content: "hi" }],
    ['Write "Hello, world" to hello.txt', "write_file", { file_path: "hello.txt", content: "Hello, world" }],
    ["replace milk by oat milk in notes.txt", "edit_file", edit("milk", "oat milk")],
    ['Replace "milk" with "oat milk" in notes.txt', "edit_file", edit("milk", "oat milk")],
    ["change 1.0 in notes.txt to 1.1", "edit_file", edit("1.0", "1.1")],
    ["delete hello.txt", "delete", { file_path: "hello.txt" }],
    ["find TODO", "grep", { pattern: "TODO" }],
    ["find TODO in notes.txt", "grep", { pattern: "TODO", path: "notes.txt" }],
    ["Find all *.md files", "glob", { pattern: "*.md" }],
    ["列出文件", "ls", {}],
    ["读取 notes.txt", "read_file", { file_path: "notes.txt" }],
    ["创建 hello.txt，内容为 hi", "write_file", { file_path: "hello.txt", content: "hi" }],
    ["创建 hello.txt，内容为“你好”。", "write_file", { file_path: "hello.txt", content: "你好" }],
    ["把 notes.txt 里的 milk 换成 oat milk", "edit_file", edit("milk", "oat milk")],
    ["把 notes.txt 中的“牛奶”改成“燕麦奶”", "edit_file", edit("牛奶", "燕麦奶")],
    ["删除 hello.txt", "delete", { file_path: "hello.txt" }],
    ["查找 TODO", "grep", { pattern: "TODO" }],
    ["在 notes.txt 中查找 TODO", "grep", { pattern: "TODO", path: "notes.txt" }],
    ["查找所有 *.md 文件", "glob", { pattern: "*.md" }],
  ])("%s", async (said, name, args) => {
    const { pending } = await agentIn(language).thread("t").send(said).result;
    expect(pending.map((call) => [call.name, call.arguments])).toEqual([[name, args]]);
  });

  test("reads a file, and then changes it", async () => {
    const thread = agentIn(language).thread("t");
    await thread.send("Read notes.txt, then replace milk by oat milk in notes.txt").result;
    expect((await thread.approveAll().result).pending).toMatchObject([
      { name: "edit_file", render: { type: "diff", text: expect.stringContaining("+1.0: buy oat milk") as string } },
    ]);
    expect(await thread.approveAll().result).toMatchObject({ status: "done", pending: [] });
  });
});
