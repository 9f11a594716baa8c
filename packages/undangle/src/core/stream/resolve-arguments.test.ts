import { describe, expect, test } from "vitest";
import { resolveArguments } from "./resolve-arguments.ts";

const ended = { ended: true, lenient: false, isBlankNone: true };
const lenient = { ...ended, lenient: true };
const broken = { ended: false, lenient: true, isBlankNone: false };

describe("arguments that can run", () => {
  test.each<[about: string, fragments: string[], args: unknown, anomalies: string[]]>([
    ["whole", ['{"a":1}'], { a: 1 }, []],
    ["in pieces", ['{"a"', ":", "1", "0}"], { a: 10 }, []],
    ["with blanks around", [" ", '{"a":1}', "\n"], { a: 1 }, []],
    ["none", [], {}, ["arguments-blank"]],
    ["null", ["null"], {}, ["arguments-blank"]],
    ["a blank text in quotes", ['" "'], {}, ["arguments-blank"]],
    ["an object in a text", ['"{\\"a\\":1}"'], { a: 1 }, ["arguments-encoded"]],
    ["cumulative", ['{"', '{"a":', '{"a":1}'], { a: 1 }, ["arguments-cumulative"]],
    ["sent again", ['{"a":', "1}", '{"a":1}'], { a: 1 }, ["arguments-resent"]],
    ["sent again, in other words", ['{"a":1,"b":[2]}', '{"b":[2],"a":1}'], { a: 1, b: [2] }, ["arguments-resent"]],
    ["a placeholder first", ["{}", '{"a":1}'], { a: 1 }, ["arguments-placeholder"]],
    ["a placeholder last", ['{"a":1}', "{}"], { a: 1 }, ["arguments-placeholder"]],
    [
      "a placeholder, and then cumulative",
      ["{}", '{"a', '{"a":1}'],
      { a: 1 },
      ["arguments-placeholder", "arguments-cumulative"],
    ],
    ["the same empty object twice", ["{}", "{}"], {}, ["arguments-cumulative"]],
  ])("%s", (_, fragments, args, anomalies) => {
    expect(resolveArguments(fragments, ended)).toMatchObject({ arguments: args, state: "ready", anomalies });
  });

  test("almost JSON is repaired only when that was asked for", () => {
    expect(resolveArguments(["{'a': 1,}"], lenient)).toMatchObject({ arguments: { a: 1 }, state: "repaired" });
    expect(resolveArguments(["{'a': 1,}"], ended)).toMatchObject({ arguments: null, state: "malformed" });
  });

  test("a strict reading is never given up for a guess", () => {
    expect(resolveArguments(['{"a":"{}', "{}", '"}'], lenient).arguments).toEqual({ a: "{}{}" });
  });
});

describe("arguments that cannot run", () => {
  test.each<[about: string, fragments: string[], state: string]>([
    ["cut in a string", ['{"a":"b'], "truncated"],
    ["cut behind a comma", ['{"a":1,'], "truncated"],
    ["cut behind a placeholder", ["{}", '{"a'], "truncated"],
    ["cut in Python", ["{'a': 'b', 'c"], "truncated"],
    ["cut behind a raw line break", ['{"a":"b\nc'], "truncated"],
    ["cut while cumulative", ['{"a', '{"a":"b'], "truncated"],
    ["a list", ["[1]"], "malformed"],
    ["a number", ["12"], "malformed"],
    ["a string", ['"hello"'], "malformed"],
    ["prose", ["please"], "malformed"],
    ["two different objects", ['{"a":1}', '{"a":2}'], "malformed"],
    ["two objects that differ by blanks in a text", ['{"a":"b c"}', '{"a":"bc"}'], "malformed"],
    ["a stray quote", ['{"a":"5" tall"}'], "malformed"],
  ])("%s", (_, fragments, state) => {
    for (const reading of [ended, lenient]) {
      expect(resolveArguments(fragments, reading)).toMatchObject({ arguments: null, state, raw: fragments.join("") });
    }
  });

  test("without an end, blank ones are cut off and nothing is repaired", () => {
    expect(resolveArguments([""], broken)).toMatchObject({ arguments: null, state: "truncated" });
    expect(resolveArguments(["{'a': 1}"], broken)).toMatchObject({ arguments: null, state: "malformed" });
  });
});
