import { expect, test } from "vitest";
import { lineFinder, positionAt } from "./find-line.ts";

const text = `{
  "model": "x",
  "messages": [
    {
      "role": "user",
      "content": "a"
    },
    { "role": "assistant",
      "tool_calls": [
        {"id": "1"}
      ] }
  ]
}`;

test.each([
  ["", 1],
  ["model", 2],
  ["messages", 3],
  ["messages[0]", 4],
  ["messages[0].content", 6],
  ["messages[1]", 8],
  ["messages[1].role", 8],
  ["messages[1].tool_calls", 9],
  ["messages[1].tool_calls[0].id", 10],
  ["messages[1].tool_calls[0].function.name", 10],
  ["messages[7].role", 3],
  ["nothing.like.this", 1],
])("%j stands in line %i", (path, line) => {
  expect(lineFinder(text, JSON.parse(text))(path)).toBe(line);
});

test("lines and columns count from one", () => {
  expect(positionAt("ab\ncd", 0)).toEqual({ line: 1, column: 1 });
  expect(positionAt("ab\ncd", 4)).toEqual({ line: 2, column: 2 });
  expect(positionAt("ab\n", 3)).toEqual({ line: 2, column: 1 });
});

test("many questions about a large text are answered from one reading", () => {
  const items = Array.from({ length: 20_000 }, (_, index) => ({ id: index }));
  const large = JSON.stringify(items, undefined, 1);
  const lineOf = lineFinder(large, JSON.parse(large));
  for (const index of items.keys()) expect(lineOf(`[${index}].id`)).toBe(index * 3 + 3);
});
