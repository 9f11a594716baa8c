import { expect, test } from "vitest";
import type { Shown } from "./input/composer-lines.ts";
import { createScreen } from "./screen.ts";
import { createTerminal } from "./terminal.fixture.ts";

const live = (...lines: readonly string[]): Shown => ({
  lines,
  cursor: { row: lines.length - 1, column: lines.at(-1)?.length ?? 0 },
});

test("what is printed stays, what is live is replaced", () => {
  const terminal = createTerminal({ columns: 20, rows: 6 });
  const screen = createScreen(terminal);
  screen.draw([], live("busy 1", "› "));
  screen.draw(["one"], live("busy 2", "› he"));
  screen.draw(["two", "three"], live("› hello"));
  expect(terminal.all()).toBe("one\ntwo\nthree\n› hello");
  screen.clear();
  expect(terminal.all()).toBe("one\ntwo\nthree");
});

test("more live lines than rows show the last of them, and leave nothing behind", () => {
  const terminal = createTerminal({ columns: 20, rows: 4 });
  const screen = createScreen(terminal);
  screen.draw(["said"], live("1", "2", "3", "4", "5", "› "));
  screen.draw([], live("6", "7", "8", "9", "10", "› "));
  screen.draw(["over"], live("› "));
  expect(terminal.all()).toBe("said\nover\n›");
});

test.each([
  [40, 10],
  [12, 10],
  [7, 20],
])("in a window that becomes %i by %i the live lines are found again", (columns, rows) => {
  const terminal = createTerminal({ columns: 20, rows: 10 });
  const screen = createScreen(terminal);
  const wide = live("tool with arguments", "another tool line", "› some text here");
  screen.draw(["printed"], wide);
  terminal.resize(columns, rows);
  screen.resized();
  screen.draw([], live("tool", "› so"));
  screen.draw(["more"], live("› "));
  expect(terminal.screen()).toMatch(/^(?:printed\n)?more\n›$/u);
  expect(terminal.all()).toMatch(/^printed\n/u);
});

test("a row that has been longer is found again too", () => {
  const terminal = createTerminal({ columns: 40, rows: 10 });
  const screen = createScreen(terminal);
  screen.draw(["printed"], live("a line that takes most of the room", "and one more that takes a lot", "› "));
  screen.draw([], live("short", "shorter", "› "));
  terminal.resize(20, 10);
  screen.resized();
  screen.draw([], live("short", "shorter", "› "));
  expect(terminal.all()).toBe("printed\nshort\nshorter\n›");
});

test("a line that is too wide is cut, so that it does not become two", () => {
  const terminal = createTerminal({ columns: 10, rows: 5 });
  const screen = createScreen(terminal);
  screen.draw([], live("你好你好你好你好", "› "));
  expect(terminal.screen()).toBe("你好你好…\n›");
});

test("what is the same is not written again", () => {
  const terminal = createTerminal();
  const screen = createScreen(terminal);
  screen.draw([], live("› "));
  const { length } = terminal.written();
  screen.draw([], live("› "));
  expect(terminal.written()).toHaveLength(length);
});

test("in a terminal that cuts lines off when it becomes narrower, nothing that was printed is erased", () => {
  const terminal = createTerminal({ columns: 20, rows: 10, reflows: false });
  const screen = createScreen(terminal);
  screen.draw(["one", "two", "three"], live("tool with arguments", "another tool line", "› some text"));
  terminal.resize(8, 10);
  screen.resized();
  screen.draw([], live("tool", "› some"));
  expect(terminal.all()).toBe("one\ntwo\nthree\ntool\n› some");
});

test("joined emoji, on whose width terminals do not agree, make nothing be erased that was printed", () => {
  const written: string[] = [];
  const size = { columns: 80 };
  const screen = createScreen({
    get columns() {
      return size.columns;
    },
    rows: 10,
    reflows: true,
    write: (text) => written.push(text),
  });
  screen.draw(["printed"], live("👨‍👩‍👧".repeat(5), "👍🏽".repeat(5), "› "));
  size.columns = 12;
  screen.resized();
  expect(written.at(-1)).toBe("\u001B[2A\r\u001B[J");
});

test("a line can have colours, and nothing else that steers the terminal", () => {
  const terminal = createTerminal({ columns: 60, rows: 6 });
  const screen = createScreen(terminal);
  screen.draw(["\u001B[31mred\u001B[39m \u001B[2J\u001B]0;t\u0007\u009B2J\rover"], live("a\u001B[9Ab\nc", "› "));
  expect(terminal.all()).toBe(
    [String.raw`red \u001b[2J\u001b]0;t\u0007\u009b2J\u000dover`, String.raw`a\u001b[9Ab c`, "›"].join("\n"),
  );
});
