import { describe, expect, test } from "vitest";

import { calls, callsIn, end, role } from "../clients/chat-chunks.ts";
import { chatWays, plainlyHeard } from "../clients/heard-of.ts";
import { done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/**
 * Names that come behind the arguments, with ids or indexes that do not tell the calls apart: a tool was run without arguments,
 * or with those of another call.
 */
type Place = Readonly<{ index?: number; id?: string | null }>;

const args = (place: Place, given: string): object => calls({ ...place, function: { arguments: given } });
const name = (place: Place, given: string): object => calls({ ...place, function: { name: given } });
const head = (place: Place, given: string, arguments_ = ""): object =>
  calls({ ...place, type: "function", function: { name: given, arguments: arguments_ } });
const bodyOf = (chunks: readonly object[]): string => events(role, ...chunks, end, done);

const [a, b] = [
  { index: 0, id: "call_1" },
  { index: 1, id: "call_1" },
];
const [c, d] = [
  { index: 0, id: "call_1" },
  { index: 0, id: "call_2" },
];
const [book, file] = ['{"x":1}', '{"path":"/etc"}'];
const two = [`find_book ${book}`, `open_file ${file}`];
const one = [`find_book ${book}`];

const told: readonly (readonly [what: string, chunks: readonly object[], meant: readonly string[]])[] = [
  ["one id for both", [args(a, book), name(a, "find_book"), args(b, file), name(b, "open_file")], two],
  ["one id for both, the names last", [args(a, book), args(b, file), name(a, "find_book"), name(b, "open_file")], two],
  [
    "one id for both, the name in the middle",
    [
      args(a, '{"x":'),
      name(a, "find_book"),
      args(a, "1}"),
      args(b, '{"path":'),
      name(b, "open_file"),
      args(b, '"/etc"}'),
    ],
    two,
  ],
  [
    "one id for both, the first without arguments",
    [args(a, ""), name(a, "list_all"), args(b, file), name(b, "open_file")],
    ["list_all {}", `open_file ${file}`],
  ],
  [
    "one id for both, the first with an empty object",
    [args(a, "{}"), name(a, "list_all"), args(b, file), name(b, "open_file")],
    ["list_all {}", `open_file ${file}`],
  ],
  ["one index for both", [args(c, book), name(c, "find_book"), args(d, file), name(d, "open_file")], two],
  [
    "one index for both, the names last",
    [args(c, book), args(d, file), name(c, "find_book"), name(d, "open_file")],
    two,
  ],
  ["an id that changes", [args(c, '{"x":'), args(d, "1}"), name(d, "find_book")], one],
  ["an id that changes, and back", [args(c, '{"x":'), args(d, "1}"), name(c, "find_book")], one],
  [
    "an id that changes, and no index",
    [args({ id: "call_1" }, '{"x":'), args({ id: "call_2" }, "1}"), name({ id: "call_2" }, "find_book")],
    one,
  ],
  [
    "an index that changes, and one name",
    [head(a, "find_book"), args(b, '{"x":'), args({ ...b, index: 2 }, "1}")],
    one,
  ],
  ["an index that changes behind an empty object", [head(a, "find_book", "{}"), args(b, book)], one],
  ["the same arguments again under another index", [head(a, "find_book", book), args(b, book)], one],
];

/** Nobody can say here which call has which arguments. */
const untold: readonly (readonly [what: string, chunks: readonly object[]])[] = [
  [
    "one id for both, in turns",
    [
      args(a, '{"x":'),
      args(b, '{"path":'),
      args(a, "1}"),
      args(b, '"/etc"}'),
      name(a, "find_book"),
      name(b, "open_file"),
    ],
  ],
  [
    "one index for both, in turns",
    [
      args(c, '{"x":'),
      args(d, '{"path":'),
      args(c, "1}"),
      args(d, '"/etc"}'),
      name(d, "open_file"),
      name(c, "find_book"),
    ],
  ],
  [
    "one index for both, and the first has none",
    [args(c, ""), args(d, file), name(c, "list_all"), name(d, "open_file")],
  ],
  ["another id with the name", [args(c, book), name(d, "find_book")]],
  [
    "no index, and ids behind both names",
    [
      head({ id: null }, "find_book"),
      head({ id: null }, "list_all"),
      args({ id: "call_1" }, book),
      args({ id: "call_2" }, ""),
    ],
  ],
  [
    "neither an index nor an id",
    [
      args({}, book),
      name({}, "find_book"),
      args({}, "{}"),
      name({}, "list_all"),
      args({}, file),
      name({}, "open_file"),
    ],
  ],
];

/** No index, and ids that come behind the names: the second name may say the first again. */
const lateIds = [
  head({ id: null }, "find_book"),
  args({ id: "call_1" }, '{"x":1}'),
  head({ id: null }, "find_book"),
  args({ id: "call_2" }, '{"x":2}'),
  head({ id: null }, "list_all", "{}"),
  args({ id: "call_3" }, ""),
];

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test.each(told)("each call has its arguments: %s", async (_, chunks, meant) => {
    const { text, error, told: repairs } = await passedThrough({ ...chat, ...way, body: bodyOf(chunks) });
    expect(error).toBeUndefined();
    expect(callsIn(text)).toEqual(meant);
    expect(repairs).toMatchObject([{ isChanged: true }]);
  });

  test.each(untold)("the calls are cut off: %s", async (_, chunks) => {
    const { text, error, told: repairs } = await passedThrough({ ...chat, ...way, body: bodyOf(chunks) });
    expect(error).toContain("The response was cut off in the middle of a tool call");
    expect(text).not.toMatch(/"finish_reason":"|\[DONE\]/u);
    expect(repairs).toHaveLength(1);
  });

  test("no call gets the arguments of another one: no index, ids behind the names", async () => {
    const { text, error } = await passedThrough({ ...chat, ...way, body: bodyOf(lateIds) });
    const meant = ['find_book {"x":1}', 'find_book {"x":2}', "list_all {}"];
    expect(error === undefined ? callsIn(text) : meant).toEqual(meant);
  });
});

describe.each(chatWays)("$sdk.name, calls: $toolCalls", (way) => {
  test("hears two calls with one id, named behind their arguments", async () => {
    const chunks = [args(a, '{"x":1}'), name(a, "find_book"), args(b, '{"x":2}'), name(b, "find_book")];
    const meant = [1, 2].map((x) => ["find_book", { x }]);
    expect(await plainlyHeard(bodyOf(chunks), way)).toEqual({ text: "", calls: meant, error: undefined });
  });

  test("hears one call whose id changes before its name comes", async () => {
    const chunks = [args(c, '{"x":'), args(d, "1}"), name(d, "find_book")];
    const meant = [["find_book", { x: 1 }]];
    expect(await plainlyHeard(bodyOf(chunks), way)).toEqual({ text: "", calls: meant, error: undefined });
  });
});
