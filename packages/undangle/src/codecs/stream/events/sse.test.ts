import fc from "fast-check";
import { expect, test } from "vitest";
import { createEventReader } from "./sse.ts";

/** The events of a text in short form: the data, with the event name as prefix if there is one. */
function eventsOf(...texts: readonly string[]): string[] {
  const events: string[] = [];
  const reader = createEventReader((data, event) => void events.push(event === undefined ? data : `${event}|${data}`));
  for (const text of texts) reader.add(text);
  reader.end();
  return events;
}

const table: [about: string, text: string, events: string[]][] = [
  ["events", "data: a\n\ndata: b\n\n", ["a", "b"]],
  ["CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]],
  ["CR", "data: a\r\rdata: b\r\r", ["a", "b"]],
  ["line ends of every kind", "data: a\r\n\ndata: b\r\r\ndata: c\n\r", ["a", "b", "c"]],
  ["a byte order mark", "\uFEFFdata: a\n\n", ["a"]],
  ["no space, one space, two spaces", "data:a\n\ndata: a\n\ndata:  a\n\n", ["a", "a", " a"]],
  ["comments", ": x\n\ndata: a\n: y\n\n:\n\n", ["a"]],
  ["types", "event: x\ndata: a\n\ndata: b\n\n", ["x|a", "b"]],
  ["a type without data", "event: x\n\ndata: b\n\n", ["b"]],
  ["other fields", "id: 1\nretry: 5\nfoo\ndata: a\n\n", ["a"]],
  ["an error field", 'error: {"m":1}\n\n', ['error|{"m":1}']],
  ["a last event that is not closed", "data: a", ["a"]],
  ["empty data", "data\n\ndata:\n\n", ["", ""]],
  ["data in several lines", 'data: {"a":\ndata: 1}\n\n', ['{"a":\n1}']],
  ["several lines that are no JSON", "data: a\ndata: b\n\n", ["a\nb"]],
  [
    "events without blank lines between",
    'data: {"a":1}\ndata: {"b":2}\ndata: [DONE]\n',
    ['{"a":1}', '{"b":2}', "[DONE]"],
  ],
  ["lines of JSON", '{"a":1}\n{"b":2}', ['{"a":1}', '{"b":2}']],
  ["lines of JSON, and [DONE]", '{"a":1}\n[DONE]\n', ['{"a":1}', "[DONE]"]],
  ["a body in many lines", '{\n "a": "}",\n "b": ["\\"{"]\n}\n', ['{\n "a": "}",\n "b": ["\\"{"]\n}']],
  ["a list of values", '[{"a":1},\n{"b":2}\n,\r\n{"c":[3]}]', ['{"a":1}', '{"b":2}', '{"c":[3]}']],
  ["JSON that is cut off", '[{"a":1},{"b"', ['{"a":1}', '{"b"']],
  ["JSON, and then events", '{"a":1}\n\ndata: b\n\n', ['{"a":1}', "b"]],
  ["JSON that is cut off, and then events", '{"a":\ndata: {}\n\nevent: c\ndata: d\n\n', ['{"a":', "{}", "c|d"]],
];

test.each(table)("reads %s", (_, text, events) => {
  expect(eventsOf(text)).toEqual(events);
  expect(eventsOf(...text.split(""))).toEqual(events);
});

test("any text gives the same events, however it is cut", () => {
  const word = fc.constantFrom(
    ...table.map(([, text]) => text),
    "\n",
    "\r",
    "data: ",
    "event: e\n",
    "{",
    "}",
    "[",
    "]",
    '"',
    ":",
    " ",
  );
  fc.assert(
    fc.property(fc.array(word), fc.array(fc.nat({ max: 30 })), (words, sizes) => {
      const text = words.join("");
      const pieces: string[] = [];
      let at = 0;
      for (const size of sizes) {
        pieces.push(text.slice(at, at + size));
        at += size;
      }
      expect(eventsOf(...pieces, text.slice(at))).toEqual(eventsOf(text));
    }),
  );
});
