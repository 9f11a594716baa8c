import { expect, test } from "vitest";
import { createFrameReader } from "./frame-reader.ts";

test.each([
  ['{"a":1}', true, 1],
  ['{"a":1}\r\n\t ', true, 1],
  ['{"a":}', false, 1],
  ['{"a":"x', false, 0],
  ["", false, 0],
])("%j is a JSON object: %s, and is read %i times to know it", (text, isSo, times) => {
  let asked = 0;
  const scannerFor = (): undefined => void asked++;
  const options = { tools: undefined, isSingle: true, isBare: false, scannerFor } as const;
  expect(createFrameReader({ format: "openai-chat", ...options }).isObjectText(text)).toBe(isSo);
  expect(asked).toBe(times);
});
