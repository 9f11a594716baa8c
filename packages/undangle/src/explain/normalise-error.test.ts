import { expect, test } from "vitest";
import { errorWords } from "./normalise-error.ts";

test.each<readonly [text: string, words: readonly string[]]>([
  ["Missing 'tool_calls'.", ["missing", "tool_calls"]],
  ["with “tool_calls” `x`", ["with", "tool_calls", "x"]],
  [String.raw`with \"tool_calls\" or \\\"tool_calls\\\"`, ["with", "tool_calls", "or", "tool_calls"]],
  [String.raw`one\ntwo\\nthree\\\tfour`, ["one", "two", "three", "four"]],
  [String.raw`tool\_calls \u0027x\u0027 \x27y`, ["tool_calls", "x", "y"]],
  [String.raw`\\u53c2\u6570`, ["参", "数"]],
  ["&quot;a&quot; &#39;b&#x27; &amp;amp;quot;c &#38;#39;d", ["a", "b", "c", "d"]],
  ["<code>role</code> <b class='x'>tool</b><br/>", ["role", "tool"]],
  ["<400> InternalError", ["0", "internalerror"]],
  ["input[12].id messages.3: 400 of 2013", ["input", "[0]", "id", "messages", "[0]", "0", "of", "0"]],
  ["\u001B[31mred\u001B[0m", ["red"]],
  ["to\u200Bol", ["tool"]],
  ["> quoted\r\n> text", ["quoted", "text"]],
  ["", []],
])("%j", (text, words) => {
  expect(errorWords(text)).toEqual(words);
});

test("words that a terminal has cut are joined where that is asked for", () => {
  const box = "│ must be follow │\n│ ed by tool     │";
  expect(errorWords(box)).toEqual(["must", "be", "follow", "ed", "by", "tool"]);
  expect(errorWords(box, { lineBreak: "" })).toEqual(["must", "be", "followed", "by", "tool"]);
});

test("of a very long text only the two ends are read", () => {
  const words = errorWords(`first ${"x ".repeat(1_000_000)} last`);
  expect(words.length).toBeLessThan(250_000);
  expect([words[0], words.at(-1)]).toEqual(["first", "last"]);
});
