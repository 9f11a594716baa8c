import { expect, test } from "vitest";
import { lineShown } from "./composer-lines.ts";
import { lineOf } from "./line.ts";

const options = { mark: "› ", columns: 12, rows: 3 };

test.each([
  ["", ["› "], { row: 0, column: 2 }],
  ["hello", ["› hello"], { row: 0, column: 7 }],
  ["0123456789", ["› 0123456789", "  "], { row: 1, column: 2 }],
  ["你好你好你好", ["› 你好你好你", "  好"], { row: 1, column: 4 }],
  ["a\nb", ["› a", "  b"], { row: 1, column: 3 }],
  ["\u001B[2J", ["› \\x1b[2J"], { row: 0, column: 9 }],
  ["1\n2\n3\n4", ["  2", "  3", "  4"], { row: 2, column: 3 }],
])("%j is shown with the cursor where it stands", (text, lines, cursor) => {
  expect(lineShown(lineOf(text), options)).toEqual({ lines, cursor });
});

test("the part around the cursor is shown of a text with many lines", () => {
  expect(lineShown({ text: "1\n2\n3\n4", cursor: 0 }, options)).toEqual({
    lines: ["› 1", "  2", "  3"],
    cursor: { row: 0, column: 2 },
  });
});
