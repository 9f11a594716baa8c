import { expect, test } from "vitest";
import { coalesce, createEventSplitter, detachAll, endOfEventIn } from "./framing.ts";
import type { Framing } from "./framing.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The pieces that are whole, when a text comes in pieces of a size. */
function cut(text: string, size: number, framing: Framing = "events") {
  const splitter = createEventSplitter(framing);
  const whole: string[] = [];
  const bytes = bytesOf(text);
  for (let at = 0; at < bytes.length; at += size)
    splitter.split(bytes.slice(at, at + size), (each) => {
      whole.push(textOf(each));
      return undefined;
    });
  return { whole, rest: textOf(splitter.rest()) };
}

test.each([1, 2, 3, 5, 7, 100])("what is cut ends where an event does, in pieces of %i bytes", (size) => {
  const events = ["data: 好\n\n", "event: a\ndata: b\n\n", ":\n\n"];
  const { whole, rest } = cut(`${events.join("")}data: d\n`, size);
  expect(whole.join("")).toBe(events.join(""));
  for (const each of whole) expect(each).toMatch(/\n\n$/u);
  expect(rest).toBe("data: d\n");
});

test("other line breaks are known too", () => {
  expect(cut("data: a\r\n\r\ndata: b", 100)).toEqual({ whole: ["data: a\r\n\r\n"], rest: "data: b" });
});

test.each(["\r\r", "\r\n\r\n", "\n\r"])("events that end with %j are known in pieces of any size", (end) => {
  const events = ["data: a", "data: b\rid: 1", "data: c"].map((text) => text + end);
  const bytes = bytesOf(`${events.join("")}data: d`);
  for (let size = 1; size <= bytes.length; size++) {
    const splitter = createEventSplitter("events");
    const whole: string[] = [];
    for (let at = 0; at < bytes.length; at += size)
      splitter.split(bytes.slice(at, at + size), (each) => {
        let start = 0;
        for (let to = endOfEventIn.events(each, 0); to >= 0; to = endOfEventIn.events(each, start)) {
          whole.push(textOf(each.subarray(start, to)));
          start = to;
        }
        return each.subarray(start);
      });
    expect(whole).toEqual(events);
    expect(textOf(splitter.rest())).toBe("data: d");
  }
});

test.each(["\r\n", "\r"])("lines of one event that end with %j are not looked at again for each that comes", (end) => {
  const splitter = createEventSplitter("events");
  let given = 0;
  for (let i = 0; i < 100; i++)
    splitter.split(bytesOf(`data: ${i}${end}`), (each) => {
      given++;
      return each;
    });
  expect(given).toBe(0);
  splitter.split(bytesOf(end), () => void given++);
  expect([given, splitter.size()]).toEqual([1, 0]);
});

test("lines are events where they are", () => {
  expect(cut('{"a":1}\n{"b"', 3, "lines")).toEqual({ whole: ['{"a":1}\n'], rest: '{"b"' });
});

test.each([1, 2, 3, 5, 7, 100])("so are the objects of a list, in pieces of %i bytes", (size) => {
  const objects = ['{"a":"}好{"}', '\n,\r\n{"b":{"c":"\\\\\\""}}', ",{}"];
  const { whole, rest } = cut(`${objects.join("")}\n]\n`, size, "list");
  expect(whole.join("")).toBe(objects.join(""));
  for (const each of whole) expect(each).toMatch(/\}$/u);
  expect(rest).toBe("\n]\n");
});

test("what could not be taken comes again with more", () => {
  const splitter = createEventSplitter("events");
  const given: string[] = [];
  for (const text of ["a\r\r", "b\r\r"])
    splitter.split(bytesOf(text), (each) => {
      given.push(textOf(each));
      return each;
    });
  expect(given.at(-1)).toBe("a\r\rb\r\r");
});

test("small pieces are joined and large ones stay what they are", () => {
  const large = new Uint8Array(5000);
  const out = coalesce([bytesOf("a"), bytesOf("b"), large, bytesOf("c")]);
  expect(out.map(({ length }) => length)).toEqual([2, 5000, 1]);
  expect(out[1]).toBe(large);
});

test("what could not be taken of joined bytes stays when others are joined", () => {
  const splitter = createEventSplitter("events");
  const given: string[] = [];
  for (const text of ["a", "\r\r", "\r\r", "b\r\r"])
    splitter.split(bytesOf(text), (each) => {
      given.push(textOf(each));
      return each.subarray(1);
    });
  expect(given).toEqual(["a\r\r", "\r\r\r\r", "\r\r\rb\r\r"]);
});

test.each([
  ["bytes", (text: string) => new Uint8Array(bytesOf(text))],
  ["a Buffer, whose slices share its memory", (text: string) => Buffer.from(new Uint8Array(bytesOf(text)).buffer)],
])("what is left is not given away with what passes before it: %s", (_, make) => {
  const splitter = createEventSplitter("events");
  const bytes = make("data: a\n\ndata: b");
  splitter.split(bytes, () => undefined);
  splitter.detach([bytes.subarray(0, 9)]);
  structuredClone(bytes, { transfer: [bytes.buffer] }); // as a stream of bytes does with what it gets
  expect(textOf(splitter.rest())).toBe("data: b");
});

test.each([2, 1000])(
  "pieces that share their memory with one of %i others are copied, and each of those is asked once",
  (count) => {
    let asked = 0;
    const counted = (): Uint8Array => {
      const bytes = new Uint8Array(1);
      const { buffer } = bytes;
      return Object.defineProperty(bytes, "buffer", { get: () => (asked++, buffer) });
    };
    const bytes = bytesOf("data: a\n\ndata: b\n\n");
    const others = Array.from({ length: count }, counted);
    const pieces = [bytes.subarray(0, 9), ...Array.from({ length: 1000 }, () => new Uint8Array(1))];
    const [first, , third] = pieces;
    detachAll(pieces, 0, [...others, bytes.subarray(9)]);
    expect(textOf(pieces[0] ?? bytes)).toBe("data: a\n\n");
    expect([pieces[0]?.buffer === first?.buffer, pieces[2] === third]).toEqual([false, true]);
    expect(asked).toBeLessThanOrEqual(Math.max(count, 2 * pieces.length));
  },
);
