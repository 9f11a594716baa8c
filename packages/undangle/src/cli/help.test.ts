import { expect, test } from "vitest";
import { cliReference } from "./cli-reference.ts";
import { commandNames, commandRow } from "./command-table.ts";
import { runIn } from "./memory-io.fixture.ts";
import { flagOf, optionNames } from "./option-table.ts";
import { parseArguments } from "./parse-arguments.ts";
import { textWidth } from "./terminal/text-width.ts";

test("help goes to stdout: 0 when asked for, 2 when nothing was", async () => {
  const asked = await runIn({}, "--help");
  const nothing = await runIn({});
  expect(asked).toMatchObject({ exitCode: 0, stderr: "" });
  expect(nothing).toMatchObject({ exitCode: 2, stdout: asked.stdout, stderr: "" });
  expect(asked.stdout.indexOf("Examples")).toBeLessThan(asked.stdout.indexOf("Commands"));
});

test.each(commandNames)(
  "undangle %s --help shows examples first, every option and the exit codes, in 80 columns",
  async (name) => {
    const { stdout, exitCode } = await runIn({}, name, "--help");
    expect(exitCode).toBe(0);
    expect(stdout.indexOf("Examples")).toBeLessThan(stdout.indexOf("Options"));
    for (const option of commandRow(name).options) expect(stdout).toContain(flagOf(option));
    expect(stdout).toMatch(/Exit codes\n {2}0 .*\n(?:.*\n)* {2}1 .*\n(?:.*\n)* {2}2 /);
    const wide = stdout.split("\n").filter((line) => textWidth(line) > 80 && !line.startsWith("  undangle"));
    expect(wide).toEqual([]);
  },
);

test("every example is a command line that the parser takes", () => {
  const examples = commandNames.flatMap((name) => commandRow(name).examples.map(([command]) => command));
  for (const example of examples) {
    const [, line = ""] = /undangle ([^|<>]*)/.exec(example) ?? [];
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
    expect(parseArguments(words)).toMatchObject({ type: "run" });
  }
});

test("the reference names every command and option", () => {
  const reference = cliReference();
  for (const name of commandNames) expect(reference).toContain(`## undangle ${name}`);
  for (const name of optionNames) expect(reference).toContain(flagOf(name));
});

test("--version", async () => {
  expect(await runIn({}, "--version")).toMatchObject({ exitCode: 0, stdout: "1.2.3\n" });
});

test("a usage error names the way to the help", async () => {
  const { exitCode, stderr, stdout } = await runIn({}, "repair", "--orphans", "x");
  expect(exitCode).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toContain("More: undangle repair --help\n");
});
