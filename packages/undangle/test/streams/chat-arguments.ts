import { cut, malformed, ready, repaired, streams, truncated, turn } from "./build.ts";
import { DONE, begin, calls, chat, delta, end, entry, more, role } from "./build-chat.ts";

/** Arguments of one call, in the pieces in which they come. */
const pieces = (...args: readonly unknown[]) =>
  chat(calls(begin(0, "a1", "book")), ...args.map((each) => calls(more(0, each))));

const seat = { seat: "12C" };
const got = turn({ calls: [ready("a1", "book", seat)] });
const bad = turn({ calls: [malformed("a1", "book")] });

export const chatArguments = streams("openai-chat", {
  "arguments absent or null": {
    "no key in the first delta, no function in the last": {
      frames: chat(
        calls(entry({ index: 0, id: "a1", name: "book" })),
        calls(more(0, '{"seat":"12C"}')),
        calls({ index: 0 }),
        calls({ index: 0, function: null }),
      ),
      expect: got,
    },
    "null between the pieces": { frames: pieces(null, '{"seat":', null, '"12C"}', null), expect: got },
    "no object of a function at all in the first delta": {
      frames: chat(calls({ index: 0, id: "a1", type: "function" }), calls(begin(0, "a1", "book", '{"seat":"12C"}'))),
      expect: got,
    },
  },
  "arguments as an object": {
    whole: {
      frames: chat(calls(begin(0, "a1", "book", { seat: "12C" }))),
      expect: got,
      anomalies: ["arguments-object"],
    },
    "an empty one first, then text": {
      frames: chat(calls(begin(0, "a1", "book", {})), calls(more(0, '{"seat":')), calls(more(0, '"12C"}'))),
      expect: got,
    },
    "text first, then an empty one": { frames: pieces('{"seat":"12C"}', {}), expect: got },
    "empty, and that is all": {
      frames: chat(calls(begin(0, "a1", "book", {}))),
      expect: turn({ calls: [ready("a1", "book")] }),
    },
    "the same object twice": { frames: pieces({ seat: "12C" }, { seat: "12C" }), expect: got },
    "a list is no object": { frames: chat(calls(begin(0, "a1", "book", ["12C"]))), expect: bad },
    "a number is no object": { frames: chat(calls(begin(0, "a1", "book", 12))), expect: bad },
  },
  "a placeholder before the arguments": {
    "with the name every time, and no id": {
      frames: chat(
        calls(entry({ index: 0, name: "book", args: "{}" })),
        calls(entry({ index: 0, name: "book", args: '{"seat":' })),
        calls(entry({ index: 0, name: "book", args: '"12C"}' })),
      ),
      expect: turn({ calls: [ready(null, "book", seat)] }),
    },
    "with the name, no id, and cut off": {
      frames: chat(
        calls(entry({ index: 0, name: "book", args: {} })),
        calls(entry({ index: 0, name: "book", args: '{"seat":"1' })),
      ),
      expect: turn({ calls: [truncated(null, "book")], complete: false }),
    },
    "as text": {
      frames: chat(calls(begin(0, "a1", "book", "{}")), calls(more(0, '{"seat"')), calls(more(0, ':"12C"}'))),
      expect: got,
      anomalies: ["arguments-placeholder"],
    },
    "null and an empty object": { frames: pieces("null", "{}", '{"seat":"12C"}'), expect: got },
    "and then cumulative": { frames: pieces("{}", '{"se', '{"seat":"1', '{"seat":"12C"}'), expect: got },
    "and then cut off behind a finish that lies": {
      frames: pieces("{}", '{"seat":"1'),
      expect: turn({ calls: [truncated("a1", "book")], complete: false }),
    },
    "an empty object in the middle is a value": {
      frames: pieces('{"a":', "{}", ',"b":', "{}", "}"),
      expect: turn({ calls: [ready("a1", "book", { a: {}, b: {} })] }),
    },
  },
  "no arguments": {
    "an empty text": {
      frames: pieces(""),
      expect: turn({ calls: [ready("a1", "book")] }),
      anomalies: ["arguments-blank"],
    },
    blanks: { frames: pieces(" ", "\n"), expect: turn({ calls: [ready("a1", "book")] }) },
    "null as text": { frames: pieces("nu", "ll"), expect: turn({ calls: [ready("a1", "book")] }) },
    "an empty text in quotes": { frames: pieces('""'), expect: turn({ calls: [ready("a1", "book")] }) },
    "an empty text, and the stream broke off": {
      frames: [role, calls(begin(0, "a1", "book", ""))],
      expect: cut({ calls: [truncated("a1", "book")] }),
    },
    "an empty text, and only the mark of the end, which proxies put behind any stream": {
      frames: [role, calls(begin(0, "a1", "book", "")), DONE],
      expect: turn({ calls: [truncated("a1", "book")], complete: false }),
      anomalies: ["arguments-truncated", "finish-missing"],
    },
    "null as text, and only the mark of the end": {
      frames: [role, calls(begin(0, "a1", "book", "null")), DONE],
      expect: turn({ calls: [truncated("a1", "book")], complete: false }),
    },
    "an empty object is whole, also with the mark of the end alone": {
      frames: [role, calls(begin(0, "a1", "book", "{}")), DONE],
      expect: turn({ calls: [ready("a1", "book")] }),
    },
    "an empty text, and the answer was too long": {
      frames: [role, calls(begin(0, "a1", "book", "")), end("length"), DONE],
      expect: turn({ calls: [truncated("a1", "book")], finish: "length", complete: false }),
    },
  },
  "it parses, and more follows": {
    digits: {
      frames: pieces('{"seat":"12C","row":1', "2", "0}"),
      expect: turn({ calls: [ready("a1", "book", { seat: "12C", row: 120 })] }),
    },
    "an empty delta with the finish": {
      frames: [
        role,
        calls(begin(0, "a1", "book", '{"seat":"12C"}')),
        delta({ tool_calls: [more(0, "")] }, "tool_calls"),
        DONE,
      ],
      expect: got,
    },
    "blanks behind it": { frames: pieces('{"seat":"12C"}', " ", "\n"), expect: got },
  },
  "arguments cumulative": {
    "from the first letter": {
      frames: pieces('{"s', '{"seat"', '{"seat":"12', '{"seat":"12C"}'),
      expect: got,
      anomalies: ["arguments-cumulative"],
    },
    "the last one twice": { frames: pieces('{"seat":', '{"seat":"12C"}', '{"seat":"12C"}'), expect: got },
    "with the id and the name every time, for two calls": {
      frames: chat(
        calls(begin(0, "a1", "book", '{"se')),
        calls(begin(0, "a1", "book", '{"seat":"12C"}')),
        calls(begin(1, "a2", "book", '{"seat":')),
        calls(begin(1, "a2", "book", '{"seat":"9A"}')),
      ),
      expect: turn({ calls: [ready("a1", "book", seat), ready("a2", "book", { seat: "9A" })] }),
    },
    "cut off": {
      frames: [role, calls(begin(0, "a1", "book", '{"s')), calls(more(0, '{"seat":"1'))],
      expect: cut({ calls: [truncated("a1", "book")] }),
    },
  },
  "arguments sent again": {
    "with the name, and no id at all": {
      frames: chat(
        calls(entry({ index: 0, name: "book", args: '{"seat":' })),
        calls(more(0, '"12C"}')),
        calls(entry({ index: 0, name: "book", args: '{"seat":"12C"}' })),
      ),
      expect: turn({ calls: [ready(null, "book", seat)] }),
      anomalies: ["arguments-resent"],
    },
    "with the name and in pieces, and no id at all": {
      frames: chat(
        calls(entry({ index: 0, name: "book", args: '{"seat":"12C"}' })),
        calls(entry({ index: 0, name: "book", args: '{ "seat":' })),
        calls(more(0, ' "12C" }')),
      ),
      expect: turn({ calls: [ready(null, "book", seat)] }),
    },
    "with the name, behind another call": {
      frames: chat(
        calls(entry({ index: 0, name: "book", args: '{"seat":"9A"}' })),
        calls(entry({ index: 0, name: "book", args: '{"seat":"12C"}' })),
        calls(entry({ index: 0, name: "book", args: '{"seat":"12C"}' })),
      ),
      expect: turn({ calls: [ready(null, "book", { seat: "9A" }), ready(null, "book", seat)] }),
    },
    "with the name, in one chunk: they are two": {
      frames: chat(
        calls(
          entry({ index: 0, name: "book", args: '{"seat":"12C"}' }),
          entry({ index: 0, name: "book", args: '{"seat":"12C"}' }),
        ),
      ),
      expect: turn({ calls: [ready(null, "book", seat), ready(null, "book", seat)] }),
    },
    "whole behind the pieces": {
      frames: pieces('{"seat":', '"12C"}', '{"seat":"12C"}'),
      expect: got,
      anomalies: ["arguments-resent"],
    },
    "with other blanks": { frames: pieces('{"seat":', '"12C"}', '{ "seat": "12C" }'), expect: got },
    "encoded once more": { frames: pieces('{"seat":"12C"}', JSON.stringify('{"seat":"12C"}')), expect: got },
    "with the id and the name, and no index": {
      frames: chat(
        calls(entry({ id: "a1", name: "book", args: '{"seat":"12C"}' })),
        calls(entry({ id: "a1", name: "book", args: '{"seat":"12C"}' })),
      ),
      expect: got,
    },
    "keys in another order": {
      frames: pieces('{"a":1,"b":2}', '{"b":2,"a":1}'),
      expect: turn({ calls: [ready("a1", "book", { a: 1, b: 2 })] }),
    },
    "behind pieces that are not whole": { frames: pieces('{"seat":"1', '{"seat":"12C"}'), expect: got },
    "but with another value: nobody can tell": { frames: pieces('{"seat":"12C"}', '{"seat":"12D"}'), expect: bad },
    "but with blanks that mean something": { frames: pieces('{"say":"a b"}', '{"say":"ab"}'), expect: bad },
  },
  "traps for those who tidy up": {
    "pieces that repeat": {
      frames: pieces('{"seat":"12', "C", "C", "C", '","n":1', "00", "00", "}"),
      expect: turn({ calls: [ready("a1", "book", { seat: "12CCC", n: 10_000 })] }),
    },
    "brackets in strings": {
      frames: pieces('{"code":"}{', "}{", '","json":"{\\"a\\":1}{\\"a\\":1}"}'),
      expect: turn({ calls: [ready("a1", "book", { code: "}{}{", json: '{"a":1}{"a":1}' })] }),
    },
    "a piece that is a beginning of another": {
      frames: pieces('{"seat":"', "1", "12", "12C", '"}'),
      expect: turn({ calls: [ready("a1", "book", { seat: "11212C" })] }),
    },
    "two calls that are equal": {
      frames: chat(calls(begin(0, "a1", "book", '{"seat":"12C"}')), calls(begin(1, "a2", "book", '{"seat":"12C"}'))),
      expect: turn({ calls: [ready("a1", "book", seat), ready("a2", "book", seat)] }),
    },
    "two calls that are equal, index reused": {
      frames: chat(calls(begin(0, "a1", "book", '{"seat":"12C"}')), calls(begin(0, "a2", "book", '{"seat":"12C"}'))),
      expect: turn({ calls: [ready("a1", "book", seat), ready("a2", "book", seat)] }),
    },
    "quotes, commas and Python in strings": {
      lenientArguments: true,
      frames: pieces(`{"say":"it's True, None,}",`, `"x":"'a': 1,]"}`),
      expect: turn({ calls: [ready("a1", "book", { say: "it's True, None,}", x: "'a': 1,]" })] }),
    },
    "escapes in pieces": {
      frames: pieces('{"s":"\\', "u00", "e9\\", "n\\\\", '"}'),
      expect: turn({ calls: [ready("a1", "book", { s: "é\n\\" })] }),
    },
    "keys that are dangerous elsewhere": {
      frames: pieces('{"__proto__":{"x":1},', '"constructor":2}'),
      expect: turn({
        calls: [ready("a1", "book", JSON.parse('{"__proto__":{"x":1},"constructor":2}') as Record<string, unknown>)],
      }),
    },
  },
  "arguments that are almost JSON, read with leniency": {
    "a fence": {
      lenientArguments: true,
      frames: pieces("```", 'json\n{"seat":"12C"}', "\n```"),
      expect: turn({ calls: [repaired("a1", "book", seat)] }),
      anomalies: ["arguments-repaired"],
    },
    Python: {
      lenientArguments: true,
      frames: pieces("{'seat': '12C', 'win", "dow': True, 'meal': None}"),
      expect: turn({ calls: [repaired("a1", "book", { seat: "12C", window: true, meal: null })] }),
    },
    "commas too many": {
      lenientArguments: true,
      frames: pieces('{"seat":"12C",', '"extras":[1,2,],}'),
      expect: turn({ calls: [repaired("a1", "book", { seat: "12C", extras: [1, 2] })] }),
    },
    comments: {
      lenientArguments: true,
      frames: pieces('{"seat":"12C" // by the aisle', "\n/* really */}"),
      expect: turn({ calls: [repaired("a1", "book", seat)] }),
    },
    "raw line breaks in a string": {
      lenientArguments: true,
      frames: pieces('{"note":"a', "\n", '\tb"}'),
      expect: turn({ calls: [repaired("a1", "book", { note: "a\n\tb" })] }),
    },
    "line breaks that are written out": {
      lenientArguments: true,
      frames: pieces('{\\n  "seat": "12C",\\n  "n": 2\\n}'),
      expect: turn({ calls: [repaired("a1", "book", { seat: "12C", n: 2 })] }),
    },
    "escapes that do not exist": {
      lenientArguments: true,
      frames: pieces('{"re":"\\w+\\.', 'js"}'),
      expect: turn({ calls: [repaired("a1", "book", { re: "\\w+\\.js" })] }),
    },
    "keys without quotes": {
      lenientArguments: true,
      frames: pieces("{seat: ", '"12C"}'),
      expect: turn({ calls: [repaired("a1", "book", seat)] }),
    },
    "quotes escaped once too often": {
      lenientArguments: true,
      frames: pieces('{\\"seat\\": ', '\\"12C\\"}'),
      expect: turn({ calls: [repaired("a1", "book", seat)] }),
    },
    "encoded twice: that is JSON": {
      frames: pieces(JSON.stringify('{"seat":"12C"}')),
      expect: got,
      anomalies: ["arguments-encoded"],
    },
    "encoded three times": { frames: pieces(JSON.stringify(JSON.stringify('{"seat":"12C"}'))), expect: got },
    "inner quotes that nobody escaped: ambiguous": {
      lenientArguments: true,
      frames: pieces('{"say":"the "best" seat"}'),
      expect: bad,
      anomalies: ["arguments-malformed"],
    },
    "an apostrophe in a Python string: ambiguous": {
      lenientArguments: true,
      frames: pieces("{'say':'it's here'}"),
      expect: bad,
    },
    "a number that may be none": { lenientArguments: true, frames: pieces("{'code': 007}"), expect: bad },
    "cut off: never completed": {
      lenientArguments: true,
      frames: pieces("{'seat': '12C', 'n"),
      expect: turn({ calls: [truncated("a1", "book")], complete: false }),
    },
    "cut off behind a raw line break": {
      lenientArguments: true,
      frames: pieces('{"note":"a\nb'),
      expect: turn({ calls: [truncated("a1", "book")], complete: false }),
    },
    "without a terminal nothing is repaired": {
      lenientArguments: true,
      frames: [role, calls(begin(0, "a1", "book", "{'seat': '12C'}"))],
      expect: cut({ calls: [malformed("a1", "book")] }),
    },
  },
  "almost JSON without leniency": {
    "a fence": { frames: pieces('```json\n{"seat":"12C"}\n```'), expect: bad },
    "a comma too many": { frames: pieces('{"seat":"12C",}'), expect: bad },
    prose: { frames: pieces("seat 12C, please"), expect: bad },
    "a list": { frames: pieces('["12C"]'), expect: bad },
  },
});
