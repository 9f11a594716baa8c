import { describe, expect, test } from "vitest";
import { partedFrom } from "./cut-events.ts";
import { createPassage } from "./passage.ts";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text));
const textOf = (pieces: readonly Uint8Array[]): string =>
  pieces.map((piece) => new TextDecoder().decode(piece)).join("");

describe("what has not changed", () => {
  test("passes as the bytes that came, and is not copied", () => {
    const passage = createPassage();
    const bytes = bytesOf("data: 好\n\ndata: b\n\n");
    passage.open(bytes, [bytes]);
    for (const [start, end] of [
      [0, 11],
      [11, 20],
    ] as const) {
      passage.at(start, end);
      passage.pass();
    }
    expect(passage.close(20)).toBeUndefined();
    expect(passage.flush()).toEqual([bytes]);
  });

  test.each(["data: a\n\ndata: ", "data: 好\n\ndata: "])("passes up to what is left: %j", (text) => {
    const passage = createPassage();
    const bytes = bytesOf(text);
    const end = bytes.indexOf(0x0a) + 2;
    passage.open(bytes, [bytes]);
    passage.at(0, end);
    passage.pass();
    const left = passage.close(end);
    expect(new TextDecoder().decode(left)).toBe("data: ");
    expect(textOf(passage.flush())).toBe(text.slice(0, -6));
  });
});

test("what waits passes in its order, behind what was written before", () => {
  const passage = createPassage();
  const [first, second] = [bytesOf("a\n\n"), bytesOf("b\n\n")];
  passage.open(first, [first]);
  passage.at(0, 3);
  passage.wait();
  passage.close(3);
  expect(passage.flush()).toEqual([]);
  passage.open(second, [second]);
  passage.at(0, 3);
  passage.wait();
  passage.write("said\n\n");
  passage.release();
  passage.close(3);
  expect(textOf(passage.flush())).toBe("said\n\na\n\nb\n\n");
});

test("bytes that are given away take nothing with them", () => {
  const passage = createPassage();
  const bytes = bytesOf("a\n\nb\n\nc");
  passage.open(bytes, [bytes]);
  passage.at(0, 3);
  passage.pass();
  passage.at(3, 6);
  passage.wait();
  const left = partedFrom([bytes], passage.close(6) ?? bytes);
  expect(passage.flush()).toHaveLength(1);
  structuredClone(bytes, { transfer: [bytes.buffer] }); // as a stream of bytes does with what it gets
  passage.release();
  expect(textOf(passage.flush())).toBe("b\n\n");
  expect(new TextDecoder().decode(left)).toBe("c");
});

test("what waits passes in the pieces in which it came, also an event that was cut in two", () => {
  const passage = createPassage();
  const [first, second] = [bytesOf("a\n\nb"), bytesOf("\n\nc\n\n")];
  const take = (bytes: Uint8Array, parts: readonly Uint8Array[]): void => {
    passage.open(bytes, parts);
    passage.at(0, bytes.length);
    passage.wait();
    passage.close(bytes.length);
  };
  const [head, left, end, rest] = [first.subarray(0, 3), first.subarray(3), second.subarray(0, 2), second.subarray(2)];
  take(head, [head]);
  expect(passage.flush()).toEqual([]);
  take(bytesOf("b\n\n"), [left, end]);
  take(rest, [rest]);
  passage.release();
  const passed = passage.flush();
  expect(passed).toEqual([first, second]);
  expect(passed.map(({ buffer }) => buffer)).toEqual([first.buffer, second.buffer]);
});

test("an event that was cut in two passes in two pieces, its end with what came behind it, and its beginning alone", () => {
  const passage = createPassage();
  const [first, second] = [bytesOf("a\n\nb"), bytesOf("\n\nc\n\n")];
  passage.open(first.subarray(0, 3), [first.subarray(0, 3)]);
  passage.at(0, 3);
  passage.wait();
  passage.close(3);
  const rest = second.subarray(2);
  for (const [bytes, parts] of [
    [bytesOf("b\n\n"), [first.subarray(3), second.subarray(0, 2)]],
    [rest, [rest]],
  ] as const) {
    passage.open(bytes, parts);
    passage.at(0, bytes.length);
    passage.pass();
    passage.close(bytes.length);
  }
  const passed = passage.flush();
  expect(passed).toEqual([bytesOf("b"), second]);
  for (const { buffer } of passed) structuredClone(buffer, { transfer: [buffer as ArrayBuffer] }); // bytesOf gives no other
  passage.release();
  expect(textOf(passage.flush())).toBe("a\n\n");
});

test("what passes of bytes that are lent is a copy", () => {
  const passage = createPassage();
  const lent = bytesOf("a\n\nb\n\n");
  passage.open(lent, [bytesOf("a\n\nb"), bytesOf("\n\n")]);
  passage.at(0, 3);
  passage.wait();
  passage.at(3, 6);
  passage.pass();
  passage.close(6);
  lent.fill(0);
  expect(textOf(passage.flush())).toBe("b\n\n");
  passage.release();
  expect(textOf(passage.flush())).toBe("a\n\n");
});

test("half of an event that waits is not given away with what passes behind it", () => {
  const passage = createPassage();
  const [first, second] = [bytesOf("a"), bytesOf("\n\nb\n\n")];
  passage.open(bytesOf("a\n\n"), [first, second.subarray(0, 2)]);
  passage.at(0, 3);
  passage.wait();
  passage.close(3);
  const rest = second.subarray(2);
  passage.open(rest, [rest]);
  passage.at(0, 3);
  passage.pass();
  passage.close(3);
  expect(textOf(passage.flush())).toBe("b\n\n");
  structuredClone(second, { transfer: [second.buffer] });
  passage.release();
  expect(textOf(passage.flush())).toBe("a\n\n");
});

test("where more of some bytes waits than passes, what passes is copied", () => {
  const passage = createPassage();
  const bytes = bytesOf("a\n\nlonger\n\n");
  passage.open(bytes, [bytes]);
  passage.at(0, 3);
  passage.pass();
  passage.at(3, 11);
  passage.wait();
  passage.close(11);
  const [given] = passage.flush();
  expect(given).toEqual(bytesOf("a\n\n"));
  expect(given?.buffer).not.toBe(bytes.buffer);
  passage.release();
  expect(passage.flush()[0]?.buffer).toBe(bytes.buffer);
});
