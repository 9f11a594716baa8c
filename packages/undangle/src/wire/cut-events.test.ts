import { expect, test } from "vitest";
import { createCutter, gathered } from "./cut-events.ts";
import type { Framing } from "./split-events.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The pieces that are whole, when a text comes in pieces of a size. */
function cut(text: string, size: number, framing: Framing = "events") {
  const cutter = createCutter(framing);
  const whole: string[] = [];
  const bytes = bytesOf(text);
  for (let at = 0; at < bytes.length; at += size)
    cutter.cut(bytes.slice(at, at + size), (each) => {
      whole.push(textOf(each));
      return undefined;
    });
  return { whole, rest: textOf(cutter.rest()) };
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
  const cutter = createCutter("events");
  const given: string[] = [];
  for (const text of ["a\r\r", "b\r\r"])
    cutter.cut(bytesOf(text), (each) => {
      given.push(textOf(each));
      return each;
    });
  expect(given.at(-1)).toBe("a\r\rb\r\r");
});

test("small pieces are joined and large ones stay what they are", () => {
  const large = new Uint8Array(5000);
  const out = gathered([bytesOf("a"), bytesOf("b"), large, bytesOf("c")]);
  expect(out.map(({ length }) => length)).toEqual([2, 5000, 1]);
  expect(out[1]).toBe(large);
});

test("what could not be taken of joined bytes stays when others are joined", () => {
  const cutter = createCutter("events");
  const given: string[] = [];
  for (const text of ["a", "\r\r", "\r\r", "b\r\r"])
    cutter.cut(bytesOf(text), (each) => {
      given.push(textOf(each));
      return each.subarray(1);
    });
  expect(given).toEqual(["a\r\r", "\r\r\r\r", "\r\r\rb\r\r"]);
});

test.each([
  ["bytes", (text: string) => new Uint8Array(bytesOf(text))],
  ["a Buffer, whose slices share its memory", (text: string) => Buffer.from(new Uint8Array(bytesOf(text)).buffer)],
])("what is left is not given away with what passes before it: %s", (_, make) => {
  const cutter = createCutter("events");
  const bytes = make("data: a\n\ndata: b");
  cutter.cut(bytes, () => undefined);
  cutter.part([bytes.subarray(0, 9)]);
  structuredClone(bytes, { transfer: [bytes.buffer] }); // as a stream of bytes does with what it gets
  expect(textOf(cutter.rest())).toBe("data: b");
});
