import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

import { runIn } from "../memory-io.fixture.ts";
import type { Outcome } from "../memory-io.fixture.ts";

const root = mkdtempSync(join(tmpdir(), "undangle-serve-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A server package that prints the options that it is started with, or throws what it is told to. */
const packageFolder = join(root, "node_modules/@undangle/server");
mkdirSync(packageFolder, { recursive: true });
writeFileSync(
  join(packageFolder, "package.json"),
  `{ "name": "@undangle/server", "type": "module", "main": "index.js" }`,
);
writeFileSync(
  join(packageFolder, "index.js"),
  `export const serve = async (options) => ({ url: "", message: JSON.stringify(options), close: async () => {} });`,
);

const serve = (argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> =>
  runIn({ folder: root, env, stopped: Promise.resolve(0) }, "serve", ...argv);

describe("undangle serve", () => {
  test("hands its options to the server", async () => {
    const { exitCode, stdout } = await serve(
      [
        "--allow-origin http://localhost:3000 --allow-origin=https://app.example.com",
        "--allow-host box.local --rate 60 --webhook https://example.com/hook",
        "--time-zone Europe/Berlin --port 0",
      ].flatMap((options) => options.split(" ")),
      { UNDANGLE_WEBHOOK_SECRET: "s" },
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      port: 0,
      host: "127.0.0.1",
      origins: ["http://localhost:3000", "https://app.example.com"],
      hosts: ["box.local"],
      limits: { rate: 60 },
      webhook: { url: "https://example.com/hook", secret: "s" },
      timeZone: "Europe/Berlin",
    });
  });

  test("leaves to the config what the command line does not say", async () => {
    const { stdout } = await serve([]);
    for (const name of ["origins", "hosts", "limits", "webhook", "timeZone"])
      expect(JSON.parse(stdout)).not.toHaveProperty(name);
  });

  test.each([
    [["--rate", "many"], "--rate many is not a valid number of requests per minute. Use a whole number above 0."],
    [["--rate", "0"], "--rate 0 is not a valid number of requests per minute. Use a whole number above 0."],
    [["--port", "70000"], "70000 is not a port. Use a number from 0 to 65535."],
  ])("refuses %j", async (argv, message) => {
    expect(await serve(argv)).toMatchObject({ exitCode: 2, stderr: `undangle: ${message}\n` });
  });
});
