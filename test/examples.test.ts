import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

import { noPostgres } from "../packages/undangle/test/postgres/fresh-database.ts";

const run = promisify(execFile);
const folder = fileURLToPath(new URL("../examples/", import.meta.url));
const programs = readdirSync(folder).filter((name) => /\.(ts|js)$/u.test(name));
const needsPostgres = new Set(["postgres-agent.ts"]);

/** What examples of deep agents must print, beside running. */
const outputs: Readonly<Record<string, readonly string[]>> = {
  "research-agent.ts": ["waiting [ 'task#call_3 > buy_study' ]", "/notes/coffee.md: 92 mg, from a study"],
  "support-agent.ts": ["ada:3 > Any news?\n  We will mail you.", "bob:1 > Any news?\n  Shall we call you, or write?"],
  "plan-mode.ts": ["edit_file in plan mode: failed", "* 1.19;\nwaiting: delete"],
};

test.for(programs)("examples/%s runs as it is", async (name, { skip }) => {
  if (noPostgres !== undefined && needsPostgres.has(name)) skip(noPostgres);
  const { stdout } = await run(process.execPath, [folder + name], { cwd: folder });
  expect(stdout).not.toBe("");
  for (const text of outputs[name] ?? []) expect(stdout).toContain(text);
});

test("the sample history is one that the doctor finds wrong", async () => {
  const doctor = run(process.execPath, ["../bin/undangle.js", "check", "broken-history.json"], { cwd: folder });
  await expect(doctor).rejects.toMatchObject({ code: 1 });
});
