import { expect, test } from "vitest";
import { dialects } from "./dialects.ts";

test.each([
  ["data: {}\n\n", 1, true],
  ["data: {}\r\n\r\n", 1, true],
  ["data: {}\r\r", 1, false],
  [": a\r\n: b\r\n\r\n", 0, true],
  [": a\n\ndata: [DONE]\n\n", 0, true],
  [": a\n\nid: 1\n\n", 0, false],
])("%j with %i frames is read by all clients in the same way: %s", (raw, frames, isSo) => {
  expect(dialects["openai-chat"].isCanonical(raw, frames)).toBe(isSo);
});

test("many comments in front of something else are no work", () => {
  expect(dialects["openai-chat"].isCanonical(`${": a\r\n".repeat(1000)}id: 1\r\n\r\n`, 0)).toBe(false);
});
