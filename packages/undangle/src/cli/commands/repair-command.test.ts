import { describe, expect, test } from "vitest";
import { runIn } from "../memory-io.fixture.ts";
import { dangling, empty, healthy, notice } from "./histories.fixture.ts";

const line = (body: unknown): string => `${JSON.stringify(body)}\n`;
const mended = {
  ...dangling,
  messages: [
    ...dangling.messages.slice(0, 2),
    { role: "tool", tool_call_id: "call_1", name: "gettime", content: notice },
    ...dangling.messages.slice(2),
  ],
};

describe("where the result goes", () => {
  test("to stdout, and what was done to stderr", async () => {
    const outcome = await runIn({ files: { "bad.json": line(dangling) } }, "repair", "bad.json");
    expect(outcome.exitCode).toBe(0);
    expect(JSON.parse(outcome.stdout)).toEqual(mended);
    expect(outcome.stdout.endsWith("}\n")).toBe(true);
    expect(outcome.stderr).toBe("bad.json: messages[2]: unanswered-call: inserted\nbad.json: 1 edit, nothing lost\n");
  });

  test("to a file", async () => {
    const { stdout, stderr, files } = await runIn({ stdin: line(dangling) }, "repair", "-o", "out.json");
    expect(JSON.parse(files["out.json"] ?? "")).toEqual(mended);
    expect(stdout).toBe("");
    expect(stderr).toContain("out.json: written\n");
  });

  test("back to its place, with a backup", async () => {
    const { files, stderr } = await runIn(
      { files: { "bad.json": line(dangling) } },
      "repair",
      "--in-place",
      "bad.json",
    );
    expect(JSON.parse(files["bad.json"] ?? "")).toEqual(mended);
    expect(files["bad.json.bak"]).toBe(line(dangling));
    expect(stderr).toContain("bad.json: written; the old one is bad.json.bak\n");
  });

  test("several files back to their places; the healthy one is not touched", async () => {
    const { files, exitCode } = await runIn(
      { files: { "a.json": line(dangling), "b.json": line(healthy) } },
      "repair",
      "-i",
      "a.json",
      "b.json",
    );
    expect(exitCode).toBe(0);
    expect(Object.keys(files).toSorted()).toEqual(["a.json", "a.json.bak", "b.json"]);
  });

  test.each([
    ["two ways at once", ["a.json", "-o", "b.json", "--in-place"], "cannot be combined"],
    ["stdin in place", ["-", "--in-place"], "needs a FILE"],
    ["several files on stdout", ["a.json", "b.json"], "only with --in-place"],
    ["onto itself", ["a.json", "-o", "a.json"], "use --in-place"],
  ])("not %s", async (_, args, message) => {
    const { exitCode, stderr, files } = await runIn(
      { files: { "a.json": line(dangling), "b.json": line(dangling) } },
      "repair",
      ...args,
    );
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(files["a.json"]).toBe(line(dangling));
  });

  test("a file that cannot be read leaves its target alone", async () => {
    const { exitCode, files } = await runIn(
      { files: { "out.json": "old", "cut.json": "{" } },
      "repair",
      "cut.json",
      "-o",
      "out.json",
    );
    expect(exitCode).toBe(2);
    expect(files["out.json"]).toBe("old");
  });
});

describe("what needs no edit stays as it is", () => {
  const odd = '\uFEFF{ "messages" : [ {"role":"user",\r\n"content":"\\u00e9", "n": 1.0} ] }\r\n\r\n';
  test("a healthy file comes out byte for byte", async () => {
    const { stdout, exitCode, stderr } = await runIn({ stdin: odd }, "repair");
    expect(stdout).toBe(odd);
    expect(exitCode).toBe(0);
    expect(stderr).toBe("stdin: valid, nothing to repair\n");
  });

  test("only the lines that needed it are written anew, as lines", async () => {
    const log = [
      `{"messages":[{"role":"user","content":"a","n":1.0}]}\r\n`,
      "\n",
      line(dangling),
      ` ${line(healthy)}`,
    ].join("");
    const { stdout, exitCode } = await runIn({ files: { "log.jsonl": log } }, "repair", "log.jsonl");
    const lines = stdout.split("\n");
    expect(exitCode).toBe(0);
    expect(lines.with(2, JSON.stringify(dangling)).join("\n")).toBe(log);
    expect(JSON.parse(lines[2] ?? "")).toEqual(mended);
  });

  test("the layout of the file is that of the new message, in its place inside another value", async () => {
    const wrapped = { id: 7, request: { body: dangling }, time: 1 };
    const { stdout } = await runIn({ stdin: JSON.stringify(wrapped, undefined, 4) }, "repair", "--at", "request.body");
    const value: unknown = JSON.parse(stdout);
    expect(value).toEqual({ ...wrapped, request: { body: mended } });
    expect(stdout).toBe(JSON.stringify(value, undefined, 4));
  });
});

describe("what cannot be mended", () => {
  test("is said, with exit code 1, and the input comes out", async () => {
    const { stdout, stderr, exitCode } = await runIn({ stdin: line(empty) }, "repair");
    expect(exitCode).toBe(1);
    expect(stdout).toBe(line(empty));
    expect(stderr).toContain("no-messages");
    expect(stderr).toContain("1 problem left");
  });

  test("bad lines are passed on, with exit code 2 at the end", async () => {
    const log = `{bad\n${line(dangling)}7\n`;
    const { stdout, stderr, exitCode } = await runIn({ files: { "log.jsonl": log } }, "repair", "log.jsonl");
    expect(exitCode).toBe(2);
    expect(stdout.split("\n")[0]).toBe("{bad");
    expect(JSON.parse(stdout.split("\n")[1] ?? "")).toEqual(mended);
    expect(stdout.split("\n")[2]).toBe("7");
    expect(stderr).toContain("log.jsonl:1:2: not JSON");
    expect(stderr).toContain("log.jsonl:3: ");
    expect(stderr.match(/passed on unchanged/g)).toHaveLength(1);
  });
});

describe("what is longer than a text can be", () => {
  const long = line({ ...healthy, user: "x".repeat(1000) });

  test("a line of it is reported once and passed on, in its pieces", async () => {
    const log = line(dangling) + long + line(healthy);
    const { stdout, stderr, exitCode } = await runIn(
      { files: { "log.jsonl": log }, longestText: 500 },
      "repair",
      "log.jsonl",
    );
    expect(exitCode).toBe(2);
    expect(stdout.endsWith(long + line(healthy))).toBe(true);
    expect(stderr.match(/longer than/g)).toHaveLength(1);
    expect(stderr).toContain("log.jsonl:2: this line is longer than 512 MB");
  });

  test("a whole file of it is an error", async () => {
    for (const files of [{ "long.json": long }, { "long.json": JSON.stringify(JSON.parse(long), undefined, 2) }]) {
      const { stdout, stderr, exitCode } = await runIn({ files, longestText: 500 }, "repair", "long.json");
      expect(exitCode).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).toContain("long.json: longer than 512 MB");
    }
  });
});

describe("options", () => {
  test.each([
    ["--language=zh", "工具调用 gettime(ID 为 call_1)已被取消——在其完成之前收到了另一条消息。"],
    ["--notices=classic", notice],
  ])("%s", async (option, text) => {
    expect((await runIn({ stdin: line(dangling) }, "repair", option)).stdout).toContain(text);
  });

  test("the locale does not decide what the model is told", async () => {
    const { stdout, stderr } = await runIn({ stdin: line(dangling), env: { LC_ALL: "zh_TW.UTF-8" } }, "repair");
    expect(stdout).toContain(notice);
    expect(stderr).toContain("1 处修改");
  });

  test("--dangling-at-end leave", async () => {
    const running = { ...dangling, messages: dangling.messages.slice(0, 2) };
    const left = await runIn({ stdin: line(running) }, "repair", "--dangling-at-end", "leave");
    expect(left.stdout).toBe(line(running));
    const answered = await runIn({ stdin: line(running) }, "repair");
    expect(answered.stdout).toContain("no recorded result");
  });

  test("--quiet says nothing but errors", async () => {
    expect((await runIn({ stdin: line(dangling) }, "repair", "-q")).stderr).toBe("");
  });

  test("--json tells everything, and holds the output where it goes nowhere else", async () => {
    const { stdout } = await runIn({ stdin: line(dangling) }, "repair", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      file: "stdin",
      format: "openai-chat",
      changed: true,
      output: mended,
      edits: [{ rule: "unanswered-call", type: "insert", to: "messages[2]", lossless: true }],
      problems: [],
    });
    const { stdout: report, files } = await runIn({ stdin: line(dangling) }, "repair", "--json", "-o", "out.json");
    expect(JSON.parse(report)).not.toHaveProperty("output");
    expect(JSON.parse(files["out.json"] ?? "")).toEqual(mended);
  });

  test("--json of JSON lines is JSON lines", async () => {
    const { stdout } = await runIn(
      { files: { "log.jsonl": line(healthy) + line(dangling) } },
      "repair",
      "--json",
      "log.jsonl",
    );
    const reports = stdout
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text) as unknown);
    expect(reports).toMatchObject([
      { line: 1, changed: false, output: healthy },
      { line: 2, changed: true, output: mended },
    ]);
  });
});
