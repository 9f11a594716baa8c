import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { beginWaiting, longHistory, makeBench } from "./threads.fixture.ts";
import type { Bench } from "./threads.fixture.ts";

/** What `show --json` gives. */
interface Shown {
  readonly calls: readonly { readonly error?: string; readonly result?: string }[];
}

let bench: Bench;
beforeEach(() => {
  bench = makeBench();
});
afterEach(() => bench.remove());

describe("export and import", () => {
  test("a thread comes back whole, under its id where that is free", async () => {
    await beginWaiting(bench, "t1");
    const exported = (await bench.run("export", "t1")).stdout;
    const files = { "t1.json": exported };
    const again = await bench.runAs({ files }, "import", "t1.json", "--id", "t2");
    expect(again.stdout).toBe("t2: imported, 2 entries\n  call_1 pay_invoice: pending\n");
    // The gate is that of the agent which imports: it says why the call waits here, and since when.
    const ungated = (text: string): object =>
      JSON.parse(text, (key, value: unknown) => (key === "gate" ? undefined : value)) as object;
    const imported = (await bench.run("export", "t2")).stdout;
    expect(ungated(imported)).toEqual({ ...ungated(exported), id: "t2" });
    expect(imported).toMatch(/"gate":\s*\{[^{}]*"agent":\s*"demo"/u);
    const other = makeBench();
    expect((await other.runAs({ files }, "import", "t1.json")).stdout).toMatch(/^t1: imported/u);
    other.remove();
    expect((await bench.runAs({ files }, "import", "t1.json")).stdout).toMatch(/^[0-9a-f-]{36}: imported/u);
  });

  test("a history of any format, with what became of its calls; the original stays", async () => {
    const history = longHistory.slice(0, 2);
    const files = { "h.json": JSON.stringify(history), "out.json": "" };
    const { stdout } = await bench.runAs({ files }, "import", "h.json", "--id", "t1");
    expect(stdout).toContain("t1: imported from openai-chat");
    const [call] = (JSON.parse((await bench.run("show", "t1", "--json")).stdout) as Shown).calls;
    expect(stdout).toContain(`call_1 ls: it had no result. The model gets: ${call?.error ?? call?.result}`);
    const shown = (await bench.run("show", "t1")).stdout;
    expect(shown).toContain("call_1 · imported without a result");
    expect(shown).not.toContain("outcome unknown");
    expect(JSON.parse((await bench.run("export", "t1", "--format", "original")).stdout)).toEqual(history);
    const { files: written, stderr } = await bench.runAs(
      { files },
      "export",
      "t1",
      "--format",
      "anthropic",
      "-o",
      "out.json",
    );
    expect(stderr).toBe("out.json: written\n");
    expect(JSON.parse(written["out.json"] ?? "")).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      { role: "user" },
    ]);
  });

  test("each line of JSON lines becomes a thread; what cannot be read is told with its line", async () => {
    const files = {
      "log.jsonl": `${JSON.stringify(longHistory)}\n{"no":"messages"}\n[]broken\n${JSON.stringify(longHistory)}\n`,
    };
    const { exitCode, stdout, stderr } = await bench.runAs({ files }, "import", "log.jsonl");
    expect(exitCode).toBe(1);
    expect(stdout.match(/imported/gu)).toHaveLength(2);
    expect(stderr).toMatch(/log\.jsonl:2: .*\n/u);
    expect(stderr).toMatch(/log\.jsonl:3:\d+: |log\.jsonl:3: /u);
    const records = JSON.parse(
      (await bench.runAs({ files }, "import", "log.jsonl", "--json")).stdout,
    ) as readonly object[]; // an array
    expect(records.map((record) => ("error" in record ? "error" : "id" in record))).toEqual([
      true,
      "error",
      "error",
      true,
    ]);
  });

  test.each(["[]", '[{"role":"x"}]'])("%s has nothing to import, and leaves no thread", async (text) => {
    const { exitCode, stdout, stderr } = await bench.runAs({ files: { "h.json": text } }, "import", "h.json");
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain("There is nothing to import");
    expect((await bench.run("list", "--json")).stdout).toBe("[]\n");
  });

  test("an id that is taken, or one for several, is refused", async () => {
    const files = { "a.json": JSON.stringify(longHistory) };
    await bench.runAs({ files }, "import", "a.json", "--id", "t1");
    expect(await bench.runAs({ files }, "import", "a.json", "--id", "t1")).toMatchObject({ exitCode: 1, stdout: "" });
    expect((await bench.runAs({ files }, "import", "a.json", "a.json", "--id", "t2")).exitCode).toBe(2);
    expect((await bench.run("import", "none.json")).exitCode).toBe(1);
  });

  test("stdin is taken too", async () => {
    const { stdout } = await bench.runAs({ stdin: JSON.stringify(longHistory) }, "import", "--id", "t1");
    expect(stdout).toContain("t1: imported from openai-chat, 4 entries");
  });
});
