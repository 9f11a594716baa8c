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

test.for(programs)("examples/%s runs as it is", async (name, { skip }) => {
  if (noPostgres !== undefined && needsPostgres.has(name)) skip(noPostgres);
  const { stdout } = await run(process.execPath, [folder + name], { cwd: folder });
  expect(stdout).not.toBe("");
});

test("the sample history is one that the doctor finds wrong", async () => {
  const doctor = run(process.execPath, ["../bin/undangle.js", "check", "broken-history.json"], { cwd: folder });
  await expect(doctor).rejects.toMatchObject({ code: 1 });
});
