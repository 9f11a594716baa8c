import { check, convert, repair } from "undangle";
import type { Format } from "undangle";
import { describe, expect, it } from "vitest";

/** Histories that were made to be slow, of as many messages or parts as asked for. */
const hostile: Readonly<Record<string, { readonly format: Format; readonly make: (size: number) => unknown[] }>> = {
  "results without calls, in a row": {
    format: "anthropic",
    make: (size) => [user, ...many(size, (i) => ({ role: "tool", tool_call_id: `a${i}`, content: "x" }))],
  },
  "results without calls or ids": {
    format: "bedrock",
    make: (size) => [
      { role: "user", content: [{ text: "hi" }] },
      ...many(size, () => ({ role: "user", content: [{ toolResult: { content: [{ text: "x" }] } }] })),
    ],
  },
  "results for one call, all different": {
    format: "openai-chat",
    make: (size) => [user, callsOf(1), ...many(size, (i) => ({ role: "tool", tool_call_id: "c0", content: `${i}` }))],
  },
  "calls as blocks of another format": {
    format: "openai-chat",
    make: (size) => [
      user,
      { role: "assistant", content: many(size, (i) => ({ type: "tool_use", id: `c${i}`, name: "f", input: {} })) },
    ],
  },
  "turns with calls side by side": {
    format: "gemini",
    make: (size) => many(size, () => ({ role: "model", parts: [{ functionCall: { name: "f", args: {} } }] })),
  },
};

describe("What a repair tells", () => {
  it.each(Object.entries(hostile))("grows as the history does: %s", (_, { format, make }) => {
    const told = (size: number): number => JSON.stringify(repair(make(size), { format }).edits).length;
    expect(told(4000) / told(1000)).toBeLessThan(4.5);
  });

  it("shows a message that several edits lead to only once", () => {
    const results = many(3, (i) => ({ role: "tool", tool_call_id: "c0", content: `${i}` }));
    const { edits, output } = repair([user, callsOf(1), ...results], { format: "openai-chat" });
    expect(edits.map(({ type, to }) => [type, to])).toEqual([
      ["merge", "messages[2]"],
      ["merge", "messages[2]"],
    ]);
    expect(edits.map(({ after }) => after)).toEqual([output[2], undefined]);
    expect(edits.map(({ before }) => before)).toEqual(results.slice(1));
  });
});

describe("A look at a history", () => {
  it("reads each message a few times only, however many say nothing of who speaks", () => {
    let reads = 0;
    const silent = many(2000, () => ({
      get role() {
        reads++;
        return undefined;
      },
    }));
    for (const format of ["openai-chat", "ai-sdk", "ollama", "anthropic", "bedrock"] as const)
      check(silent, { format });
    expect(reads / silent.length).toBeLessThan(100);
  });
});

/** So many that the test would run out of time if each one were compared with all others. */
const big = 40_000;

describe("Tens of thousands of", () => {
  it.each<[string, Format, () => unknown[]]>([
    ["messages without a role", "openai-chat", () => many(big, () => ({}))],
    ["results of the same id", "openai-chat", () => [user, ...many(big, () => ({ role: "tool", tool_call_id: "a" }))]],
    ["calls without ids, and results", "ollama", () => [user, ...namesReversed(big)]],
    ["parts of a page without ids", "ai-sdk", () => [page(big, () => "")]],
    ["parts of a page with one id", "ai-sdk", () => [page(big, () => "a")]],
  ])(
    "%s are mended in time",
    (_, format, make) => {
      const { problems } = repair(make(), { format });
      expect(problems.every(({ repairable }) => !repairable)).toBe(true);
    },
    60_000,
  );

  it("broken calls are converted in time", () => {
    const calls = many(big / 2, () => ({ type: "tool_use", id: "a", name: "" }));
    const results = many(big / 2, () => ({ type: "tool_result" }));
    const input = [user, { role: "assistant", content: calls }, { role: "user", content: results }];
    expect(convert(input, { from: "openai-chat", to: "anthropic" }).problems).toEqual([]);
  }, 30_000);
});

const user = { role: "user", content: "hi" };

function many<One>(size: number, make: (index: number) => One): One[] {
  return Array.from({ length: size }, (_, index) => make(index));
}

const callsOf = (size: number) => ({
  role: "assistant",
  content: null,
  tool_calls: many(size, (i) => ({ id: `c${i}`, type: "function", function: { name: "f", arguments: "{}" } })),
});

const namesReversed = (size: number) => [
  { role: "assistant", content: "", tool_calls: many(size, (i) => ({ function: { name: `f${i}`, arguments: {} } })) },
  ...many(size, (i) => ({ role: "tool", tool_name: `f${size - 1 - i}`, content: "x" })),
];

const page = (size: number, idOf: () => string) => ({
  id: "m",
  role: "assistant",
  parts: many(size, (i) => ({
    type: "tool-f",
    toolCallId: idOf(),
    state: "output-available",
    input: { i },
    output: `${i}`,
  })),
});
