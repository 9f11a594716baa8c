import { expect, test } from "vitest";

import { complaint } from "./complaint.ts";

const text = "there is no thread of that name.\n  undangle chat --thread 1234abcd --store threads.db";

test("in a window words are whole, and so are commands", () => {
  expect(complaint(text, { isTTY: true, columns: 24 })).toBe(
    "undangle: there is no\nthread of that name.\n  undangle chat --thread 1234abcd --store threads.db\n",
  );
});

test("in a pipe nothing is broken", () => {
  expect(complaint(text, { isTTY: false, columns: 24 })).toBe(`undangle: ${text}\n`);
});
