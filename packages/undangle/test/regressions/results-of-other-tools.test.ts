import { check, repair } from "undangle";
import { describe, expect, test } from "vitest";

import { asks, calls, gemini, gives, says } from "../fixtures/build-gemini.ts";

type Formats = readonly ["gemini" | "ollama", (call: Side, result: Side) => object][];

interface Side {
  readonly name: string;
  readonly id?: string;
}

/** A call of some tool, the result of some tool behind it, and what the user says then. */
const histories: Formats = [
  [
    "gemini",
    (call, result) =>
      gemini([
        asks("Go on."),
        says(calls(call.name, { a: 1 }, call)),
        asks(gives(result.name, "minus 7", result.id)),
        asks("So?"),
      ]),
  ],
  [
    "ollama",
    (call, result) => ({
      model: "qwen3",
      tools: ["look_up", "read_file", "run"].map((name) => ({ type: "function", function: { name } })),
      messages: [
        { role: "user", content: "Go on." },
        { role: "assistant", content: "", tool_calls: [{ id: call.id, function: { name: call.name, arguments: {} } }] },
        { role: "tool", tool_name: result.name, tool_call_id: result.id, content: "minus 7" },
        { role: "user", content: "So?" },
      ],
    }),
  ],
];

describe.each(histories)("in a list of %s", (format, history) => {
  const mended = (call: Side, result: Side, more: object = {}) =>
    repair({ ...history(call, result), ...more }, { format });
  const rulesOf = (call: Side, result: Side, more: object = {}) =>
    mended(call, result, more).edits.map(({ rule, type }) => `${type} ${rule}`);
  const apart = ["insert unanswered-call", "restore orphan-result"];

  test("a result with the id of a call that is gone is not given to the call it stands behind", () => {
    expect(rulesOf({ name: "run", id: "call_rome" }, { name: "run", id: "call_oslo" })).toEqual(apart);
  });

  test("neither is one of another tool", () => {
    expect(rulesOf({ name: "run" }, { name: "read_file" })).toEqual(apart);
    expect(rulesOf({ name: "run", id: "c1" }, { name: "read_file" })).toEqual(apart);
    expect(rulesOf({ name: "run" }, { name: "read_file", id: "c1" })).toEqual(apart);
    expect(rulesOf({ name: "delete_it" }, { name: "read_it" }, { tools: [] })).toEqual(apart);
  });

  test("what is mended so is healthy, and stays", () => {
    const { output, problems } = mended({ name: "run", id: "a" }, { name: "read_file", id: "b" });
    expect(problems).toEqual([]);
    expect(check(output, { format })).toEqual([]);
    expect(repair(output, { format }).output).toBe(output);
  });

  test.each(["unknown", "tool_result", "call_1073557", "default_api:run", "Run"])(
    "a name that no tool has (%s) says nothing against its place",
    (name) => {
      expect(rulesOf({ name: "run" }, { name })).not.toContain("restore orphan-result");
      expect(rulesOf({ name: "run" }, { name }, { tools: [] })).not.toContain("restore orphan-result");
    },
  );

  test("nor does one without its space, as models and clients leave it out", () => {
    expect(rulesOf({ name: "default_api:run" }, { name: "run" })).not.toContain("restore orphan-result");
  });

  test("the id of its call says whose a result is, whatever its name", () => {
    expect(rulesOf({ name: "run", id: "c1" }, { name: "read_file", id: "c1" })).not.toContain("restore orphan-result");
  });
});

test("what a response was given to by its place alone is marked as reconstructed", () => {
  const body = gemini([asks("Go on."), says(calls("run")), asks(gives("unknown", "minus 7"))]);
  expect(repair(body, { format: "gemini" }).edits).toMatchObject([
    { rule: "mismatched-name", before: "unknown", after: "run", reconstructed: true },
  ]);
});

test("ids that agree nowhere, in several turns, were made up on one side and say nothing", () => {
  const turn = (n: number) => [
    asks("Go on."),
    says(calls("run", { n }, { id: `call_${n}` })),
    asks(gives("run", `out ${n}`, `made-${n}-up`)),
    says(`It is ${n}.`),
  ];
  const { edits } = repair(gemini([...turn(1), ...turn(2)]), { format: "gemini" });
  expect(edits).toMatchObject([1, 2].map((n) => ({ rule: "mismatched-call-id", after: `call_${n}` })));
  const agreeing = [asks("Go on."), says(calls("run", {}, { id: "c" })), asks(gives("run", "out", "c")), says("Done.")];
  const told = repair(gemini([...turn(1), ...turn(2), ...agreeing]), { format: "gemini" }).edits;
  expect(told.filter(({ type }) => type === "restore")).toHaveLength(2);
});
