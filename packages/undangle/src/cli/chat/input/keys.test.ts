import { expect, test } from "vitest";
import { heldKeys, readKeys } from "./keys.ts";
import type { Key, KeyName } from "./keys.ts";

const press = (name: KeyName): Key => ({ type: "press", name });
const text = (words: string): Key => ({ type: "text", text: words });

test.each<[sent: string, keys: readonly Key[]]>([
  ["hello 你好 🎉", [text("hello 你好 🎉")]],
  ["a\r", [text("a"), press("enter")]],
  ["\u001B[A\u001B[B\u001BOC", [press("up"), press("down"), press("right")]],
  ["\u0003", [press("ctrl-c")]],
  ["\u001B\r", [press("newline")]],
  ["\u001B\u001B[A", [press("escape"), press("up")]],
  ["\u001Bb\u001B[1;5C", [press("word-left"), press("word-right")]],
  ["\u001B[200~one\r\ntwo\rthree\u001B[201~\r", [{ type: "paste", text: "one\ntwo\nthree" }, press("enter")]],
  ["\u001B[999z\u0000x", [text("x")]],
])("%j is read as keys", (sent, keys) => {
  expect(readKeys("", sent)).toEqual({ keys, held: "" });
});

test("keys are the same wherever what a terminal sends is cut", () => {
  const sent = "a\u001B[A\u001B[200~x\r\ny\u001B[201~\u001B[3~b\u001BOF\r";
  const whole = readKeys("", sent).keys;
  for (let cut = 1; cut < sent.length; cut++) {
    const first = readKeys("", sent.slice(0, cut));
    const second = readKeys(first.held, sent.slice(cut));
    expect([...first.keys, ...second.keys]).toEqual(whole);
    expect(second.held).toBe("");
  }
});

test("a lone escape character is the Escape key when nothing follows", () => {
  expect(readKeys("", "\u001B")).toEqual({ keys: [], held: "\u001B" });
  expect(heldKeys("\u001B")).toEqual([press("escape")]);
  expect(heldKeys("\u001B[")).toEqual([]);
});
