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
    passage.open(bytes);
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
    passage.open(bytes);
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
  passage.open(first);
  passage.at(0, 3);
  passage.wait();
  passage.close(3);
  expect(passage.flush()).toEqual([]);
  passage.open(second);
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
  passage.open(bytes);
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

test("what passes ends where events do, also behind one that was cut in two, and is not copied but for that", () => {
  for (const isHeld of [true, false]) {
    const passage = createPassage();
    const [first, second] = [bytesOf("a\n\nb"), bytesOf("\n\nc\n\n")];
    for (const bytes of [first.subarray(0, 3), bytesOf("b\n\n"), second.subarray(2)]) {
      passage.open(bytes);
      passage.at(0, bytes.length);
      if (isHeld) passage.wait();
      else passage.pass();
      passage.close(bytes.length);
    }
    passage.release();
    const passed = passage.flush();
    expect(passed).toEqual(["a\n\n", "b\n\n", "c\n\n"].map(bytesOf));
    expect([passed[0]?.buffer, passed[2]?.buffer]).toEqual([first.buffer, second.buffer]);
  }
});

test("where more of some bytes waits than passes, what passes is copied", () => {
  const passage = createPassage();
  const bytes = bytesOf("a\n\nlonger\n\n");
  passage.open(bytes);
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
