import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { editText } from "./edit-text.ts";

const edit = (old: string, replacement: string, isAll = false) => ({ old, new: replacement, isAll });

describe("edit_file", () => {
  test.each<[string, string, ReturnType<typeof edit>, { text: string; count: number }]>([
    ["E1 one match", "a b c", edit("b", "x"), { text: "a x c", count: 1 }],
    ["E4 all matches", "a b a", edit("a", "x", true), { text: "x b x", count: 2 }],
    ["E4 matches do not overlap", "aaaa", edit("aa", "b", true), { text: "bb", count: 2 }],
    ["E6 an empty file", "", edit("", "new"), { text: "new", count: 1 }],
    ["E7 CRLF", "a\r\nb\r\nc\r\n", edit("a\nb", "x\ny\nz"), { text: "x\r\ny\r\nz\r\nc\r\n", count: 1 }],
    ["E7 CRLF in the arguments", "a\r\nb\r\n", edit("a\r\nb", "x\r\ny"), { text: "x\r\ny\r\n", count: 1 }],
    ["E7 a Unix file gets no CRLF", "a\nb\n", edit("a\r\nb", "x\r\ny"), { text: "x\ny\n", count: 1 }],
    [
      "E7 mixed ends stay where they are",
      "a\r\nb\nc\r\nd",
      edit("b\nc", "b\nc\ne"),
      { text: "a\r\nb\nc\ne\r\nd", count: 1 },
    ],
    ["E7 each line keeps its own end", "a\nb\r\nc\n", edit("a\nb\nc", "1\n2\n3"), { text: "1\n2\r\n3\n", count: 1 }],
    [
      "E7 a new line gets the end of the line before",
      "a\r\nb\nc",
      edit("b", "b\nx"),
      { text: "a\r\nb\r\nx\nc", count: 1 },
    ],
    ["E7 CR alone", "a\rb\rc", edit("a\nb", "x\ny"), { text: "x\ry\rc", count: 1 }],
    ["E7 all of several lines", "a\r\nb\r\na\r\nb", edit("a\nb", "c\nd", true), { text: "c\r\nd\r\nc\r\nd", count: 2 }],
    ["E7 an edit of line ends alone", "a\r\nb", edit("a\r\n", "a\n"), { text: "a\nb", count: 1 }],
    ["E8 patterns of replace", "a b", edit("a", "$& $1 $$ $`"), { text: "$& $1 $$ $` b", count: 1 }],
    ["a deletion", "a b c", edit(" b", ""), { text: "a c", count: 1 }],
  ])("%s", (_, text, given, expected) => {
    expect(editText(text, given)).toEqual(expected);
  });

  test.each([
    ["E2 no match", "abc", edit("x", "y"), { type: "missing", hint: undefined }],
    [
      "E2 white space differs",
      "if (a)  {\n\treturn;",
      edit("if (a) {\n  return;", "y"),
      { type: "missing", hint: "space" },
    ],
    ["E3 several matches", "a a a", edit("a", "b"), { type: "several", count: 3 }],
    ["E5 the same text", "a", edit("a", "a"), { type: "same" }],
    ["E6 nothing in a file with content", "a", edit("", "b"), { type: "empty" }],
    ["E9 line numbers", "foo\nbar\n", edit("11  foo\n12  bar", "x"), { type: "missing", hint: "numbers" }],
    ["E9 an aligned line number", "foo\n", edit("  9  foo", "x"), { type: "missing", hint: "numbers" }],
  ])("%s", (_, text, given, problem) => {
    expect(editText(text, given)).toEqual({ problem });
  });

  const line = fc.constantFrom("", "a", "b", "a b", "$&");
  const end = fc.constantFrom("\n", "\r\n");
  test("what is around a match stays byte for byte", () => {
    const texts = fc.array(fc.tuple(line, end));
    const law = fc.property(texts, line, fc.string(), (before, old, replacement) => {
      const head = before.map(([text, ending]) => text + ending).join("");
      const made = editText(`${head}<${old}>tail\r\n`, edit(`<${old}>`, `<${replacement}>`));
      if (made.problem !== undefined) return old === replacement;
      return made.text.startsWith(`${head}<`) && made.text.endsWith(">tail\r\n");
    });
    expect(() => fc.assert(law)).not.toThrow();
  });
});
