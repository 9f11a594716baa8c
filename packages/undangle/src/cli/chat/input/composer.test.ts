import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compose, newComposer, withText } from "./composer.ts";
import type { Composer } from "./composer.ts";
import { readKeys } from "./keys.ts";
import { charactersOf } from "./line.ts";

const complete = (text: string): readonly string[] =>
  ["/thread ", "/threads", "/help"].filter((each) => each.startsWith(text));

/** What comes of keys, as a terminal sends them. */
function typed(sent: string, from: Composer = newComposer([])): { composer: Composer; said: readonly string[] } {
  let composer = from;
  const said: string[] = [];
  for (const key of readKeys("", sent).keys) {
    const step = compose(composer, key, complete);
    ({ composer } = step);
    if (step.said !== undefined) said.push(step.said);
  }
  return { composer, said };
}

const [up, down, left, home, end] = ["\u001B[A", "\u001B[B", "\u001B[D", "\u001B[H", "\u001B[F"];
const [backspace, killWord, killBefore] = ["\u007F", "\u0017", "\u0015"];

describe("editing", () => {
  test.each([
    ["helo" + left + "l", "hello"],
    ["world" + home + "hello " + end + "!", "hello world!"],
    ["one two three" + killWord + killWord, "one "],
    ["one two" + killBefore + "x", "x"],
    ["你好吗" + backspace, "你好"],
    ["👨‍👩‍👧é" + left + backspace, "é"],
    ["one\u001B\rtwo" + up + "!", "one!\ntwo"],
    ["one\u001B\rtwo" + home + "2 ", "one\n2 two"],
    ["\u001B[200~a\nb\u001B[201~", "a\nb"],
  ])("%j gives %j", (sent, text) => {
    expect(typed(sent).composer.line.text).toBe(text);
  });

  test("Enter sends, and nothing is left in the line", () => {
    expect(typed("hello\r")).toMatchObject({ said: ["hello"], composer: { line: { text: "" } } });
  });

  test("blanks are not sent", () => {
    expect(typed("  \r").said).toEqual([]);
  });

  test("a backslash at the end goes on in the next line, two of them are a backslash", () => {
    expect(typed("one\\\rtwo\r").said).toEqual(["one\ntwo"]);
    expect(typed("C:\\\\\r").said).toEqual(["C:\\\\"]);
  });

  test("a paste with line ends is one message", () => {
    expect(typed("\u001B[200~one\r\ntwo\u001B[201~\r").said).toEqual(["one\ntwo"]);
    expect(typed("\u001B[200~one\r\n\r\n\u001B[201~\r").said).toEqual(["one"]);
  });
});

test("whatever is typed, the cursor stands between two characters of the text", () => {
  const pieces = fc.constantFrom(
    "a",
    "词",
    "👨‍👩‍👧",
    " ",
    up,
    down,
    left,
    home,
    end,
    backspace,
    killWord,
    killBefore,
    "\u001B\r",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (keys) => {
      const { text, cursor } = typed(keys.join("")).composer.line;
      const [before, behind] = [charactersOf(text.slice(0, cursor)), charactersOf(text.slice(cursor))];
      expect([...before, ...behind]).toEqual(charactersOf(text));
    }),
  );
});

describe("history", () => {
  const before = newComposer(["first", "second"]);

  test("up goes back, down returns to what was being written", () => {
    expect(typed("dra" + up, before).composer.line.text).toBe("second");
    expect(typed("dra" + up + up + up, before).composer.line.text).toBe("first");
    expect(typed("dra" + up + up + down + down + "ft", before).composer.line.text).toBe("draft");
  });

  test("what is said is remembered, twice in a row once", () => {
    expect(typed("second\rthird\r", before).composer.history).toEqual(["first", "second", "third"]);
  });
});

describe("completion", () => {
  test("Tab completes as far as there is no doubt, and offers the rest", () => {
    expect(typed("/he\t").composer.line.text).toBe("/help");
    expect(typed("/t\t").composer).toMatchObject({ line: { text: "/thread" }, offered: ["/thread ", "/threads"] });
    expect(typed("/t\ts").composer).toMatchObject({ line: { text: "/threads" }, offered: [] });
    expect(typed("/x\t").composer.line.text).toBe("/x");
  });

  test("a text can be given back", () => {
    expect(typed("!", withText(newComposer([]), "hello")).composer.line.text).toBe("hello!");
  });
});
