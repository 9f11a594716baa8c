import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { decodeText, encodeText, firstBadLine } from "./decode-text.ts";

test.each([
  ["plain UTF-8", Buffer.from("né 汉 😀")],
  ["UTF-8 with a byte order mark", Buffer.from("\uFEFFné")],
  ["UTF-16 as PowerShell writes it", Buffer.from("\uFEFFné 😀", "utf16le")],
  ["nothing", Buffer.alloc(0)],
])("%s is written as it was read", (_, bytes) => {
  const decoded = decodeText(bytes);
  expect(decoded?.text.startsWith("\uFEFF")).toBe(false);
  expect(Buffer.concat([...encodeText([decoded?.text ?? ""], decoded ?? { encoding: "utf8", marked: false })])).toEqual(
    bytes,
  );
});

test("bytes that are no text are refused, not replaced", () => {
  const bytes = Buffer.concat([Buffer.from("a\nb\n"), Buffer.of(0xff), Buffer.from("\n")]);
  expect(decodeText(bytes)).toBeUndefined();
  expect(firstBadLine(bytes)).toBe(3);
});

test("a long text is encoded in portions", () => {
  const pieces = Array.from({ length: 10 }, () => "x".repeat(50_000));
  const portions = [...encodeText(pieces, { encoding: "utf8", marked: false })];
  expect(portions.length).toBe(5);
  expect(Buffer.concat(portions).length).toBe(500_000);
});
