import { expect, test } from "vitest";

import { linesOf } from "./diff-lines.ts";

const shown = (before: string, after: string): readonly string[] =>
  linesOf(before, after).map(({ kind, text }) => `${kind}: ${text}`);

test("lines of Windows are shown without their ends", () => {
  expect(shown("a\r\nb\r\n", "a\r\nc\r\n")).toEqual(["same: a", "removed: b", "added: c"]);
});

test("an end that changed is a difference", () => {
  expect(shown("a\r\nb\r\n", "a\nb\r\n")).toEqual(["removed: a\r", "added: a", "same: b\r"]);
});
