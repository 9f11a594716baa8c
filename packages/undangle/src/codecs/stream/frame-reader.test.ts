import { expect, test } from "vitest";
import { createFrameReader } from "./frame-reader.ts";

test.each([
  ['{"a":1}', true],
  ['{"a":1}\r\n\t ', true],
  ['{"a":}', false],
  ['{"a":"x', false],
  ["", false],
])("%j is a JSON object: %s", (text, isSo) => {
  const options = { tools: undefined, isSingle: true, isBare: false } as const;
  expect(createFrameReader({ format: "openai-chat", ...options }).isObjectText(text)).toBe(isSo);
});
