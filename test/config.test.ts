/** The program as it is installed, in a folder of somebody who has a config, or a broken one, or nothing. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const program = fileURLToPath(new URL("../bin/undangle.js", import.meta.url));

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "undangle-program-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

function undangle(...argv: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const env = { PATH: process.env["PATH"], NO_COLOR: "1" };
  return spawnSync(process.execPath, [program, ...argv], { cwd: folder, env, encoding: "utf8", input: "" });
}

/** Imports the package by its name, which is not installed in that folder. */
const config = `
import { tool } from "undangle/agent";
import { defineConfig } from "undangle/config";

interface Invoice { readonly invoice: number }
const pay = tool({
  name: "pay_invoice",
  description: "Pays an invoice.",
  input: { type: "object", properties: { invoice: { type: "integer" } }, required: ["invoice"] },
  execute: ({ invoice }: Invoice) => \`Invoice \${invoice} is paid.\`,
});
export default defineConfig({
  tools: [pay],
  agents: { clerk: { instructions: "You pay.", approvals: [{ tools: "pay_*" }] } },
  store: "clerk.db",
});
`;

/** A history whose call waits for a person. */
const waiting = JSON.stringify({
  messages: [{ role: "user", content: "Pay invoice 12." }],
  pendingAction: { functionCall: { id: "call_x", name: "pay_invoice", arguments: '{"invoice":12}' } },
});

describe("undangle threads with a config", () => {
  test("takes a history over, decides about its call, and the agent of the config goes on", () => {
    write("undangle.config.ts", config);
    write("history.json", waiting);
    expect(undangle("threads", "import", "history.json", "--id", "t1")).toMatchObject({ status: 0, stderr: "" });
    expect(existsSync(join(folder, "clerk.db"))).toBe(true);
    expect(undangle("threads", "list", "--status", "waiting").stdout).toMatch(/^t1\twaiting\t\S+\t\d\t1\t/u);
    const decided = undangle("threads", "decide", "t1", "--approve", "all", "--by", "me");
    expect(decided).toMatchObject({ status: 0, stderr: expect.stringContaining("The demo model is used") as unknown });
    expect(decided.stdout).toContain("call_1 pay_invoice: succeeded");
    const shown = undangle("threads", "show", "t1").stdout;
    expect(shown).toContain("call_1 · succeeded · approved by me");
    expect(shown).toContain("Invoice 12 is paid.");
    expect(undangle("threads", "export", "t1", "--format", "anthropic").stdout).toContain('"tool_use_id": "call_x"');
  });

  test("names the line of what is wrong in it, and changes nothing", () => {
    write("undangle.config.ts", config.replace("approvals:", "aprovals:"));
    expect(undangle("threads", "list")).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringMatching(
        /^undangle: undangle\.config\.ts:14:48: Unknown key agents\.clerk\.aprovals\. Did you mean approvals\?/u,
      ) as unknown,
    });
    write("undangle.config.ts", config.replace('name: "pay_invoice"', 'name: "pay invoice"'));
    expect(undangle("threads", "list").stderr).toMatch(
      /^undangle: undangle\.config\.ts:6:13: "pay invoice" is not a valid tool name/u,
    );
    write("undangle.config.ts", config.replace("const pay =", "const pay = ="));
    expect(undangle("threads", "list").stderr).toMatch(/^undangle: undangle\.config\.ts:6:\d+: /u);
    expect(existsSync(join(folder, "clerk.db"))).toBe(false);
  });

  test("says that there are no threads where nobody has begun one, and makes nothing", () => {
    const { status, stdout, stderr } = undangle("threads", "list");
    expect([status, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("There are no threads yet");
    expect(existsSync(join(folder, ".undangle"))).toBe(false);
  });
});
