import { expect, test } from "vitest";
import type { PendingCall } from "#engine";

import { shownCall } from "./rendered-lines.ts";
import type { ShownCallOptions } from "./rendered-lines.ts";

const look: ShownCallOptions = {
  paint: (color, text) => `<${color}>${text}`,
  columns: 40,
  rows: 20,
  note: (lines) => `${lines} more`,
};
const plain: ShownCallOptions = { ...look, paint: (_, text) => text };
const shown = (call: Pick<PendingCall, "render" | "arguments">, options: Partial<ShownCallOptions> = {}) =>
  shownCall(call, { ...plain, ...options });

const diff = (text: string, path = "/notes.txt") => ({ type: "diff", path, text }) as const;
const milk = diff("@@ -1,2 +1,2 @@\n-buy milk\n+buy oat milk\n buy bread");

test("a diff is coloured by its signs, and replaces the arguments that it shows", () => {
  const args = { file_path: "notes.txt", old_string: "milk", new_string: "oat milk", replace_all: true, why: "taste" };
  expect(shownCall({ render: milk, arguments: args }, look)).toEqual({
    lines: ["<bold>/notes.txt", "<cyan>@@ -1,2 +1,2 @@", "<red>-buy milk", "<green>+buy oat milk", "<dim> buy bread"],
    arguments: { replace_all: true, why: "taste" },
  });
});

test("the whole new text of a file is shown by its diff, and another text is not", () => {
  const whole = "buy oat milk\nbuy bread\nwalk\n";
  const { arguments: left } = shown({ render: milk, arguments: { content: whole, message: "buy oat milk\nand more" } });
  expect(left).toEqual({ message: "buy oat milk\nand more" });
  expect(shown({ render: diff(""), arguments: { content: "x" } }).arguments).toEqual({ content: "x" });
});

test("a long diff is cut in the middle, and says how many lines are left out", () => {
  const lines = [...Array.from({ length: 30 }, (_, i) => `-line ${i}`), "+hi"];
  const { lines: cut } = shown({ render: diff(lines.join("\n")), arguments: {} }, { rows: 7 });
  expect(cut).toEqual(["/notes.txt", "-line 0", "-line 1", "-line 2", "25 more", "-line 28", "-line 29", "+hi"]);
});

test("lines that were left out before are counted too", () => {
  const { lines } = shown({ render: diff("@@ -1,9 +0,0 @@\n-a\n… 8 more lines"), arguments: {} });
  expect(lines).toEqual(["/notes.txt", "@@ -1,9 +0,0 @@", "-a", "8 more"]);
});

test("a command is shown in full, however long", () => {
  const command = Array.from({ length: 30 }, (_, i) => `echo ${i}`).join("\n");
  const { lines, arguments: left } = shown({
    render: { type: "command", command },
    arguments: { command, timeout: 5 },
  });
  expect([lines.length, lines[0], lines[1], left]).toEqual([30, "$ echo 0", "  echo 1", { timeout: 5 }]);
});

test("tables and Markdown are shown with all arguments", () => {
  const table = { type: "table", columns: ["to", "euros"], rows: [["ACME", "300"]] } as const;
  expect(shown({ render: table, arguments: { a: 1 } })).toEqual({
    lines: ["to    euros", "ACME  300"],
    arguments: { a: 1 },
  });
  expect(shown({ render: { type: "markdown", text: "# Pay\n300" }, arguments: { a: 1 } }).lines).toEqual([
    "# Pay",
    "300",
  ]);
});

test("control characters of a file become escapes", () => {
  const evil = "\u001B[31mred\u001B]0;title\u0007\u009B2J\u202E";
  for (const render of [
    diff(`+${evil}`, `/${evil}`),
    { type: "command", command: evil },
    { type: "table", columns: [evil], rows: [[evil]] },
    { type: "markdown", text: evil },
  ] as const) {
    // oxlint-disable-next-line no-control-regex -- they are what must not be there
    expect(shown({ render, arguments: {} }).lines.join("\n")).not.toMatch(/[\u0000-\u0009\u001B\u009B\u202E]/u);
  }
});
