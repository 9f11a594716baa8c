import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { tool } from "#engine";
import { scriptedModel } from "#testing";

import { makeBench } from "./threads.fixture.ts";
import type { Bench } from "./threads.fixture.ts";

let bench: Bench;
beforeEach(async () => {
  bench = makeBench();
  await bench.withAgent({}, async (agent) => {
    const files = {
      "/notes.md": "# Notes\n\tone\n",
      "/in/table.csv": "a,b\n",
      "/bytes.bin": new Uint8Array([0, 255, 1]),
    };
    await agent.thread("t1").send("Hello.", { files }).result;
    await agent.thread("empty").send("Hello.").result;
  });
});
afterEach(() => bench.remove());

const pathsOf = (id: string): Promise<readonly string[]> =>
  bench.withAgent({}, async (agent) => (await agent.thread(id).files()).map(({ path }) => path));

const contentOf = (id: string, path: string): Promise<Uint8Array | undefined> =>
  bench.withAgent({}, (agent) => agent.thread(id).readFile(path));

describe("without a path", () => {
  test("a table at a terminal, lines with tabs in a pipe, an array for programs", async () => {
    const table = await bench.runAs({ isTTY: true, env: { NO_COLOR: "1" } }, "files", "t1");
    expect(table.stdout).toMatch(
      /^BYTES +AGE {2}PATH\n {4}3 +\d+s {2}\/bytes\.bin\n {4}4 .*\n {3}13 .*\/notes\.md\n$/u,
    );
    const { stdout } = await bench.run("files", "t1");
    expect(stdout.split("\n").map((line) => line.split("\t").slice(0, 2))).toEqual([
      ["/bytes.bin", "3"],
      ["/in/table.csv", "4"],
      ["/notes.md", "13"],
      [""],
    ]);
    const time = expect.stringMatching(/^\d{4}-.*Z$/u) as string;
    expect(JSON.parse((await bench.run("files", "t1", "--json")).stdout)).toContainEqual({
      path: "/in/table.csv",
      size: 4,
      createdAt: time,
      modifiedAt: time,
    });
  });

  test("a thread without files", async () => {
    expect(await bench.run("files", "empty")).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: "The thread has no files.\n",
    });
    expect((await bench.run("files", "empty", "--json", "--quiet")).stdout).toBe("[]\n");
  });
});

describe("a path", () => {
  test("prints the content, by any spelling of the path", async () => {
    for (const path of ["/notes.md", "notes.md", ".//notes.md"])
      for (const isTTY of [true, false])
        expect(await bench.runAs({ isTTY }, "files", "t1", path)).toMatchObject({
          exitCode: 0,
          stdout: "# Notes\n\tone\n",
          stderr: "",
        });
    expect(JSON.parse((await bench.run("files", "t1", "/notes.md", "--json")).stdout)).toMatchObject({
      path: "/notes.md",
      size: 13,
      text: "# Notes\n\tone\n",
    });
    expect(JSON.parse((await bench.run("files", "t1", "/bytes.bin", "--json")).stdout)).toMatchObject({
      base64: "AP8B",
    });
  });

  test("what is not text is not shown at a terminal, and -o saves it", async () => {
    expect(await bench.runAs({ isTTY: true, env: { NO_COLOR: "1" } }, "files", "t1", "/bytes.bin")).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringContaining("undangle threads files t1 /bytes.bin -o FILE") as string,
    });
    const saved = await bench.run("files", "t1", "/in/table.csv", "-o", "out.csv");
    expect([saved.exitCode, saved.stdout, saved.stderr, saved.files["out.csv"]]).toEqual([
      0,
      "",
      "out.csv: written\n",
      "a,b\n",
    ]);
    expect((await bench.run("files", "t1", "/in/table.csv", "-o", "-")).stdout).toBe("a,b\n");
  });

  test("--put stores a local file or stdin, --delete removes one", async () => {
    const files = { "local.bin": new Uint8Array([9, 0, 200]) };
    expect(await bench.runAs({ files }, "files", "t1", "in/new.bin", "--put", "local.bin")).toMatchObject({
      exitCode: 0,
      stdout: "/in/new.bin: stored, 3 bytes\n",
    });
    expect(await contentOf("t1", "/in/new.bin")).toEqual(new Uint8Array([9, 0, 200]));
    expect((await bench.runAs({ stdin: "x" }, "files", "t1", "/in/new.bin", "--put", "-")).stdout).toBe(
      "/in/new.bin: replaced, 1 byte\n",
    );
    expect((await bench.runAs({ files }, "files", "t1", "/a", "--put", "local.bin", "--json")).stdout).toBe(
      '{"path":"/a","size":3,"created":true}\n',
    );
    expect((await bench.run("files", "t1", "/in/new.bin", "--delete")).stdout).toBe("/in/new.bin: deleted\n");
    expect((await bench.run("files", "t1", "/a", "--delete", "--json")).stdout).toBe('{"path":"/a","deleted":true}\n');
    expect(await pathsOf("t1")).toEqual(["/bytes.bin", "/in/table.csv", "/notes.md"]);
  });
});

describe("what cannot be done is told, and changes nothing", () => {
  test.each([
    [["files"], "files needs the id of a thread"],
    [["files", "t1", "/a", "/b"], "files takes fewer arguments: /b"],
    [["files", "t2"], 'There is no thread "t2". Did you mean t1?'],
    [["files", "t1", "--put", "local"], "--put needs the path of a file after the id"],
    [["files", "t1", "--delete"], "--delete needs the path of a file"],
    [["files", "t1", "-o", "x"], "--output needs the path of a file"],
    [["files", "t1", "/a", "--put", "local", "--delete"], "Use only one of --put, --delete."],
    [["files", "t1", "/note.md"], "The thread has no file /note.md. Did you mean /notes.md?"],
    [["files", "t1", "/zzzzzzzz"], "List its files with: undangle threads files t1"],
    [["files", "t1", "/in", "--delete"], "The thread has no file /in."],
    [["files", "t1", "/"], "The thread has no file /."],
    [["files", "t1", "/", "--put", "local"], "cannot be used"],
    [["files", "t1", "../x", "--put", "local"], "cannot be used"],
    [["files", "t1", "/a", "--put", "none"], "no such file or directory"],
    [["files", "t1", "--approve", "all"], "--approve is not an option of threads files."],
  ])("threads %j: %s", async (argv, message) => {
    const before = await pathsOf("t1");
    const { exitCode, stdout, stderr } = await bench.runAs({ files: { local: "x" } }, ...argv);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(await pathsOf("t1")).toEqual(before);
  });

  test("in Chinese too", async () => {
    expect((await bench.run("files", "t1", "/note.md", "--language", "zh")).stderr).toBe(
      "undangle: 该会话没有文件 /note.md。是否想写 /notes.md？\n",
    );
    expect((await bench.run("files", "empty", "--language", "zh")).stderr).toBe("该会话没有文件。\n");
  });

  test("a thread whose approval has expired is not resumed without its agent", async () => {
    const pay = tool({
      name: "pay",
      description: "Pays.",
      approval: { expiresAfter: 1 },
      execute: () => "paid",
    });
    const model = scriptedModel([{ calls: [{ name: "pay" }] }, { text: "Too late." }]);
    await bench.withAgent({ model, tools: [pay] }, (agent) => agent.thread("late").send("Pay.").result);
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
    const { exitCode, stderr } = await bench.runAs({ files: { local: "x" } }, "files", "late", "/a", "--put", "local");
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("undangle threads recover late")]);
    expect(await pathsOf("late")).toEqual([]);
  });
});

describe("export, import and fork", () => {
  test("carry the files of a thread, to the byte", async () => {
    const exported = (await bench.run("export", "t1")).stdout;
    await bench.runAs({ files: { "t1.json": exported } }, "import", "t1.json", "--id", "copy");
    await bench.withAgent({}, (agent) => agent.thread("t1").fork(undefined, { id: "fork" }));
    await bench.run("files", "t1", "/notes.md", "--delete");
    for (const id of ["copy", "fork"]) {
      expect((await bench.run("files", id, "/notes.md")).stdout).toBe("# Notes\n\tone\n");
      expect(await contentOf(id, "/bytes.bin")).toEqual(new Uint8Array([0, 255, 1]));
    }
    await bench.run("delete", "copy", "--purge", "--yes");
    expect(await bench.inStore((store) => store.files("copy"))).toEqual([]);
  });
});
