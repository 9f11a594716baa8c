import { expect, test } from "vitest";

import { jsonBody } from "./json-body.ts";

test.each([
  ["a whole character", "😀", "😀"],
  ["the first half of one", "a\ud83d", "a\ufffd"],
  ["the second half of one", "\ude00b", "\ufffdb"],
  ["two halves in the wrong order", "\ude00\ud83d", "\ufffd\ufffd"],
  ["an escape that is the text itself", String.raw`\ud83d`, String.raw`\ud83d`],
  ["a backslash before a half", "\\\ud83d", "\\\ufffd"],
])("%s is read as it should be", (_what, given, read) => {
  expect(JSON.parse(jsonBody({ given }))).toEqual({ given: read });
});
