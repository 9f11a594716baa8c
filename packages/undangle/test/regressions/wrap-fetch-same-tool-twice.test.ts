import { describe, expect, test } from "vitest";

import { callsIn, calls, end, role } from "../clients/chat-chunks.ts";
import { done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/** Two calls of one tool that nothing tells apart but the name, which comes once more: they became one that was no JSON. */
const request = {
  ...chat.request,
  tools: ["run", "list", "run_list"].map((name) => ({ type: "function", function: { name, parameters: {} } })),
};

type Part = Readonly<Record<string, unknown>>;
const named = (more: Part, name = "run", given = ""): object =>
  calls({ ...more, type: "function", function: { name, arguments: given } });
const piece = (more: Part, given: string): object => calls({ ...more, function: { arguments: given } });
const twoOf = (more: Part): readonly object[] => [
  named(more),
  piece(more, '{"a":'),
  piece(more, "1}"),
  named(more),
  piece(more, '{"a":'),
  piece(more, "2}"),
];

const first = { index: 0, id: "call_1" };
const none = { index: 0 };

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  const read = async (sent: readonly object[], asked: object = request): Promise<readonly string[]> => {
    const body = events(role, ...sent, end, done);
    const { text, error, told } = await passedThrough({ ...chat, ...way, request: asked, body });
    expect(error).toBeUndefined();
    expect(told).toHaveLength(1);
    return callsIn(text).map((call) => call.trimEnd());
  };

  describe("a name behind arguments that are whole begins another call", () => {
    const both = ['run {"a":1}', 'run {"a":2}'];
    test.each<readonly [string, readonly object[], readonly string[]]>([
      ["without index and id", twoOf({}), both],
      ["without id, all under one index", twoOf(none), both],
      ["with blank ids", twoOf({ index: 0, id: "" }), both],
      [
        "with ids that come late",
        [named(none), piece(first, '{"a":1}'), named(none), piece({ index: 0, id: "call_2" }, '{"a":2}')],
        both,
      ],
      [
        "with late ids and no index",
        [named({}), piece({ id: "call_1" }, '{"a":1}'), named({}), piece({ id: "call_2" }, '{"a":2}')],
        both,
      ],
      ["where only the first has an id", [named(first), piece(none, '{"a":1}'), named(none, "run", '{"a":2}')], both],
      [
        "also of another tool behind that",
        [...twoOf({}), named({}, "list"), piece({}, '{"b":3}')],
        [...both, 'list {"b":3}'],
      ],
    ])("%s", async (_, sent, expected) => {
      expect(await read(sent)).toEqual(expected);
      expect(await read(sent, chat.request)).toEqual(expected);
    });

    test("with an id of its own, though the arguments are the same", async () => {
      const sent = [named(none), piece(first, '{"a":1}'), named(none), piece({ index: 0, id: "call_2" }, '{"a":1}')];
      expect(await read(sent)).toEqual(['run {"a":1}', 'run {"a":1}']);
    });
  });

  describe("a name that comes with every piece does not", () => {
    test.each<readonly [string, Part, Part]>([
      ["without index and id", {}, {}],
      ["without id", none, none],
      ["with an id in the first", first, none],
      ["with an id and no index", { id: "call_1" }, {}],
    ])("%s", async (_, begun, more) => {
      const pieces = [named(begun), named(more, "run", '{"a":'), named(more, "run", "1}"), named(more)];
      expect(await read(pieces)).toEqual(['run {"a":1}']);
      expect(await read([...pieces, named(more, "run", " "), named(more)])).toEqual(['run {"a":1}']);
    });

    test("nor where it stands before arguments that had a place kept for them", async () => {
      const sent = [named(first, "run", "{}"), named(none, "run", '{"a":'), named(none, "run", "1}"), named(none)];
      expect(await read(sent)).toEqual(['run {"a":1}']);
    });

    test.each<readonly [string, Part]>([
      ["with an id", { index: 0, id: "call_2" }],
      ["without one", none],
      ["without index and id", {}],
    ])("and another name behind it is no half of it, %s", async (_, other) => {
      const more = "index" in other ? none : {};
      for (const again of [named(more), named(more, "run", "\n")]) {
        const sent = [named(more), piece(more, '{"a":1}'), again, named(other, "_list"), piece(more, '{"b":2}')];
        expect(await read(sent)).toEqual(['run {"a":1}', '_list {"b":2}']);
      }
    });
  });
});
