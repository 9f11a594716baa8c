import { describe, expect, test } from "vitest";
import { detachAll } from "./framing.ts";
import { createOutputBuffer } from "./output-buffer.ts";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text));
const textOf = (pieces: readonly Uint8Array[]): string =>
  pieces.map((piece) => new TextDecoder().decode(piece)).join("");

describe("what has not changed", () => {
  test("passes as the bytes that came, and is not copied", () => {
    const output = createOutputBuffer();
    const bytes = bytesOf("data: 好\n\ndata: b\n\n");
    output.open(bytes);
    for (const [start, end] of [
      [0, 11],
      [11, 20],
    ] as const) {
      output.select(start, end);
      output.pass();
    }
    expect(output.close(20)).toBeUndefined();
    expect(output.flush()).toEqual([bytes]);
  });

  test.each(["data: a\n\ndata: ", "data: 好\n\ndata: "])("passes up to what is left: %j", (text) => {
    const output = createOutputBuffer();
    const bytes = bytesOf(text);
    const end = bytes.indexOf(0x0a) + 2;
    output.open(bytes);
    output.select(0, end);
    output.pass();
    const left = output.close(end);
    expect(new TextDecoder().decode(left)).toBe("data: ");
    expect(textOf(output.flush())).toBe(text.slice(0, -6));
  });
});

test("what waits passes in its order, behind what was written before", () => {
  const output = createOutputBuffer();
  const [first, second] = [bytesOf("a\n\n"), bytesOf("b\n\n")];
  output.open(first);
  output.select(0, 3);
  output.hold();
  output.close(3);
  expect(output.flush()).toEqual([]);
  output.open(second);
  output.select(0, 3);
  output.hold();
  output.write("said\n\n");
  output.release();
  output.close(3);
  expect(textOf(output.flush())).toBe("said\n\na\n\nb\n\n");
});

test("bytes that are given away take nothing with them", () => {
  const output = createOutputBuffer();
  const bytes = bytesOf("a\n\nb\n\nc");
  output.open(bytes);
  output.select(0, 3);
  output.pass();
  output.select(3, 6);
  output.hold();
  const left = [output.close(6) ?? bytes];
  detachAll(left, 0, [bytes]);
  expect(output.flush()).toHaveLength(1);
  structuredClone(bytes, { transfer: [bytes.buffer] }); // as a stream of bytes does with what it gets
  output.release();
  expect(textOf(output.flush())).toBe("b\n\n");
  expect(new TextDecoder().decode(left[0])).toBe("c");
});

test("what passes ends where events do, also behind one that was cut in two, and is not copied but for that", () => {
  for (const isHeld of [true, false]) {
    const output = createOutputBuffer();
    const [first, second] = [bytesOf("a\n\nb"), bytesOf("\n\nc\n\n")];
    for (const bytes of [first.subarray(0, 3), bytesOf("b\n\n"), second.subarray(2)]) {
      output.open(bytes);
      output.select(0, bytes.length);
      if (isHeld) output.hold();
      else output.pass();
      output.close(bytes.length);
    }
    output.release();
    const passed = output.flush();
    expect(passed).toEqual(["a\n\n", "b\n\n", "c\n\n"].map(bytesOf));
    expect([passed[0]?.buffer, passed[2]?.buffer]).toEqual([first.buffer, second.buffer]);
  }
});

test("where more of some bytes waits than passes, what passes is copied", () => {
  const output = createOutputBuffer();
  const bytes = bytesOf("a\n\nlonger\n\n");
  output.open(bytes);
  output.select(0, 3);
  output.pass();
  output.select(3, 11);
  output.hold();
  output.close(11);
  const [given] = output.flush();
  expect(given).toEqual(bytesOf("a\n\n"));
  expect(given?.buffer).not.toBe(bytes.buffer);
  output.release();
  expect(output.flush()[0]?.buffer).toBe(bytes.buffer);
});
