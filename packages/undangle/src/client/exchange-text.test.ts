import { expect, test } from "vitest";

import { receivedExchange } from "./exchange-text.ts";

const head = '{"source":"recorded","format":"openai-chat","model":"body"';
const target = String.raw`,"target":{"url":"http://a","headers":{"body":"x\"body\":","a}":"{["},"variables":[]}`;

test.each([
  ["an object with its layout and all digits", '{"id" : 12345678901234567890,\n "body": {"a":[1.10, "}"]}}'],
  ["a list", '[{"body":1},"]"]'],
  ["a number", "1e400"],
  ["null", "null"],
])("the text of %s is that of the server", (_name, body) => {
  for (const start of [head, head + target])
    for (const end of ["}", ',"later":{"body":2}}', "\n}\n"])
      expect(receivedExchange(`${start},"body":${body}${end}`).text).toBe(body);
});

test("a stream is its own text", () => {
  const body = `data: {"a":"\\n"}\n\n`.repeat(50_000);
  expect(receivedExchange(`${head},"body":${JSON.stringify(body)}}`)).toMatchObject({ body, text: body });
});

test("a body with long strings is read", () => {
  const body = JSON.stringify({ content: '"\n\\'.repeat(300_000) });
  expect(receivedExchange(`${head},"body":${body}}`).text).toBe(body);
});
