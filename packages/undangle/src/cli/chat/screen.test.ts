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
