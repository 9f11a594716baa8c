import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { editText } from "./edit-text.ts";

let folder = "";
let editor = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "undangle-editor-"));
  mkdirSync(join(folder, "my editors"));
  editor = join(folder, "my editors", "ed");
  writeFileSync(
    editor,
    `#!/bin/sh\nprintf '%s\\n' "$@" > "${folder}/arguments"\nshift $(($# - 1))\necho edited >> "$1"\n`,
    {
      mode: 0o755,
    },
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const given = (): readonly string[] => readFileSync(join(folder, "arguments"), "utf8").trim().split("\n");
const edit = (command: string, line = 1): Promise<string> => editText(command, "text\n", { name: "a b.json", line });

test("a shell reads the command, as with Git: a path with blanks in quotes, and options", async () => {
  expect(await edit(`"${editor}" --wait 'one word'`)).toBe("text\nedited\n");
  expect(given()).toEqual(["--wait", "one word", expect.stringMatching(/a b\.json$/u)]);
});

test("a command of the shell can be the editor", async () => {
  expect(await edit(`sh -c 'echo "from a shell" > "$0"'`)).toBe("from a shell\n");
});

test("only an editor that knows lines is told one", async () => {
  await edit(`"${editor}"`, 3);
  expect(given()).toHaveLength(1);
  const vim = join(folder, "vim");
  writeFileSync(vim, readFileSync(editor), { mode: 0o755 });
  await edit(`${vim} -n`, 3);
  expect(given()).toEqual(["-n", "+3", expect.stringMatching(/a b\.json$/u)]);
});

test("an editor that fails has changed nothing", async () => {
  expect(await edit(`sh -c 'echo gone > "$0"; exit 1'`)).toBe("text\n");
});

test("an editor that there is not is an error of the system", async () => {
  await expect(edit("no-such-editor-here")).rejects.toMatchObject({ code: "ENOENT" });
});
