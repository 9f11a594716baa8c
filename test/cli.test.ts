/** The built program, as a person calls it: a process, real files, pipes and exit codes. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

const program = fileURLToPath(new URL("../packages/undangle/bin/undangle.js", import.meta.url));
const env = { ...process.env, LANG: "C.UTF-8", LC_ALL: "", NO_COLOR: "1", FORCE_COLOR: undefined };
let folder = "";
const at = (name: string): string => join(folder, name);

function undangle(
  args: readonly string[],
  { input = "", ...more }: { readonly input?: string; readonly FORCE_COLOR?: string } = {},
) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    input,
    env: { ...env, ...more },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const call = { id: "toolu_1", name: "read_file", input: { path: "a.txt", inode: 1 } };
const broken = {
  model: "claude-sonnet-4-5",
  max_tokens: 1024,
  tools: [{ name: "read_file", input_schema: { type: "object" } }],
  messages: [
    { role: "user", content: "read it" },
    { role: "assistant", content: [{ type: "tool_use", ...call }] },
    { role: "user", content: "are you there?" },
  ],
};
const healthy = { ...broken, messages: broken.messages.slice(0, 1) };
const text = JSON.stringify(broken, undefined, "\t").replace('"inode": 1', '"inode": 12345678901234567890');

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "undangle-cli-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(at(name));
  writeFileSync(at("bad.json"), text);
  writeFileSync(at("good.json"), JSON.stringify(healthy));
});

describe("check, repair, explain and doctor", () => {
  test("check finds it, repair mends it, check is content", () => {
    expect(undangle(["check", "bad.json"])).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(
        /^bad\.json:\d+: messages\[1\]\.content\[0\]: unanswered-call: .*toolu_1.*\n$/,
      ) as string,
    });
    expect(undangle(["repair", "bad.json", "-o", "mended.json"])).toMatchObject({ status: 0, stdout: "" });
    expect(undangle(["check", "mended.json"])).toMatchObject({ status: 0, stdout: "" });
    const mended = readFileSync(at("mended.json"), "utf8");
    expect(mended).toContain('"inode": 12345678901234567890');
    expect(mended).toContain('\n\t\t\t\t\t"type": "tool_result"');
    expect(readFileSync(at("bad.json"), "utf8")).toBe(text);
  });

  test("repair in place keeps every old one, and leaves a healthy one alone", () => {
    expect(undangle(["repair", "--in-place", "bad.json"]).status).toBe(0);
    writeFileSync(at("bad.json"), text);
    expect(undangle(["repair", "--in-place", "bad.json"]).status).toBe(0);
    expect(readdirSync(folder).toSorted()).toEqual(["bad.json", "bad.json.bak", "bad.json.bak1", "good.json"]);
    expect(readFileSync(at("bad.json.bak1"), "utf8")).toBe(text);
    const before = statSync(at("good.json"));
    expect(undangle(["repair", "--in-place", "good.json"]).status).toBe(0);
    expect(statSync(at("good.json"))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
  });

  test("stdin to stdout", () => {
    const { status, stdout } = undangle(["repair"], { input: text });
    expect(status).toBe(0);
    expect(undangle(["check", "-"], { input: stdout }).status).toBe(0);
    const untouched = undangle(["repair", "-"], { input: `${JSON.stringify(healthy)}\r\n` });
    expect(untouched.stdout).toBe(`${JSON.stringify(healthy)}\r\n`);
  });

  test("doctor shows a person what, where, why and the change", () => {
    const plain = undangle(["doctor", "bad.json"]);
    expect(plain.status).toBe(1);
    for (const part of ["anthropic", "1 problem", "Why", "Fix", "tool_result", "undangle repair bad.json --in-place"]) {
      expect(plain.stdout).toContain(part);
    }
    expect(plain.stdout).not.toContain("\u001B");
    expect(undangle(["doctor", "bad.json"], { FORCE_COLOR: "1" }).stdout).toContain("\u001B[32m");
    expect(undangle(["doctor", "good.json"]).status).toBe(0);
  });

  test("explain knows an error text, and says so when it does not", () => {
    const known = undangle([
      "explain",
      "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
    ]);
    expect(known).toMatchObject({ status: 0, stdout: expect.stringContaining("orphan-result") as string });
    expect(undangle(["explain"], { input: "out of cheese" }).status).toBe(1);
  });
});

describe("exit code 2", () => {
  test.each([
    ["an unknown option", ["check", "--frmat", "x", "bad.json"], "Did you mean --format?"],
    ["an unknown value", ["repair", "--orphans", "keep", "bad.json"], "restore, quote, drop"],
    ["no such file", ["check", "none.json"], "none.json: no such file"],
    ["a directory", ["check", "."], "directory"],
    [
      "a place that cannot be written to",
      ["repair", "bad.json", "-o", "none/out.json"],
      "none/out.json: no such file or directory",
    ],
    ["bad JSON, with its place", ["repair", "cut.json"], "cut.json:1:15: not JSON"],
    ["nothing at all", [], ""],
  ])("%s", (_, args, message) => {
    writeFileSync(at("cut.json"), '{"messages": [');
    const { status, stderr } = undangle(args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe("a log of requests", () => {
  const healthyLine = `${JSON.stringify({ ...healthy, padding: "x".repeat(4000) })}\n`;
  const brokenLine = `${JSON.stringify(broken)}\n`;
  const lines = 150_000_000 / healthyLine.length;

  /** Some 150 MB, every hundredth line broken, one of them not JSON. */
  function* log(): Generator<string, void, undefined> {
    for (let number = 1; number <= lines; number++) {
      yield number === 777 ? "{not json\n" : number % 100 === 0 ? brokenLine : healthyLine;
    }
  }

  test("streams through in constant memory, unchanged lines as they were", async () => {
    const report = "process.on('exit',()=>process.stderr.write('\\nmaxRSS '+process.resourceUsage().maxRSS))";
    const args = ["--import", `data:text/javascript,${encodeURIComponent(report)}`, program, "repair", "--lines"];
    const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "pipe"] });
    const fed = pipeline(Readable.from(log()), child.stdin);
    const stderr = child.stderr.setEncoding("utf8").toArray();
    let [count, changed, rest] = [0, 0, ""];
    for await (const chunk of child.stdout.setEncoding("utf8") as AsyncIterable<string>) {
      const pieces = (rest + chunk).split("\n");
      rest = pieces.pop() ?? "";
      count += pieces.length;
      changed += pieces.filter((line) => line.includes("tool_result")).length;
    }
    await fed;
    const [status] = (await once(child, "close")) as [number];
    const said = (await stderr).join("");
    expect(status).toBe(2);
    expect(rest).toBe("");
    expect(count).toBe(Math.floor(lines));
    expect(changed).toBe(Math.floor(lines / 100));
    expect(said).toContain("stdin:777:2: not JSON");
    const [, kilobytes] = /maxRSS (\d+)/.exec(said) ?? [];
    expect(Number(kilobytes) / 1024).toBeLessThan(200); // V8 takes 100 to 170 for itself; the log alone is 150 more
  }, 60_000);

  test("a reader that has seen enough ends it quietly", async () => {
    writeFileSync(at("log.jsonl"), brokenLine.repeat(20_000));
    const child = spawn(process.execPath, [program, "check", "log.jsonl"], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const stderr = child.stderr.setEncoding("utf8").toArray();
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [status] = (await once(child, "close")) as [number];
    expect(status).toBe(0);
    expect(await stderr).toEqual([]);
  });
});

test("keys are created, listed in columns also with wide characters, and revoked", () => {
  const keys = (...args: readonly string[]) => undangle(["keys", ...args, "--store", "keys.db"]);
  const made = ["app", "审批人员"].map((name) => keys("create", "--name", name, "--project", "shop"));
  expect(made.map(({ status }) => status)).toEqual([0, 0]);
  const rows = (): readonly string[] => keys("list").stdout.trimEnd().split("\n");
  const places = rows().map((row) => row.replaceAll(/\p{Script=Han}/gu, "xx").search(/\b(?:PROJECT|shop)\b/iu));
  expect([places.length, new Set(places).size]).toEqual([3, 1]);
  const [id = ""] = rows()[1]?.split(" ") ?? [];
  expect(keys("revoke", id)).toMatchObject({ status: 0, stdout: expect.stringContaining(id) as string });
  expect(rows().map((row) => row.includes("revoked"))).toEqual([false, true, false]);
});
