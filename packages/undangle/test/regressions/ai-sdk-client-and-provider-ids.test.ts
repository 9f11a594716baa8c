import fc from "fast-check";
import { repair } from "undangle";
import { describe, expect, test } from "vitest";

/** A call of the application and a call that the provider runs may have one id. */
const id = fc.constantFrom("c1", "c1", "c2");
const name = fc.constantFrom("web", "web", "get");
const call = fc
  .record({ toolCallId: id, toolName: name, isProviders: fc.boolean() })
  .map(({ isProviders, ...rest }) => ({
    type: "tool-call",
    ...rest,
    input: {},
    ...(isProviders && { providerExecuted: true }),
  }));
const result = fc
  .record({ toolCallId: id, toolName: name, value: fc.integer({ min: 0, max: 999 }) })
  .map(({ value, ...rest }) => ({ type: "tool-result", ...rest, output: { type: "text", value: `result ${value}.` } }));
const text = fc.integer({ min: 0, max: 999 }).map((number) => ({ type: "text", text: `text ${number}.` }));
const parts = fc.array(fc.oneof(call, call, result, text), { minLength: 1, maxLength: 4 });
const message = fc.oneof(
  text.map(({ text: content }) => ({ role: "user", content })),
  parts.map((content) => ({ role: "assistant", content })),
  parts.map((content) => ({ role: "assistant", content })),
  fc.array(result, { minLength: 1, maxLength: 3 }).map((content) => ({ role: "tool", content })),
);
const history = fc.array(message, { minLength: 2, maxLength: 6 });

describe("calls of the application and of the provider that share an id", () => {
  test("one repair is enough, and nothing is lost", () => {
    fc.assert(
      fc.property(history, (messages) => {
        const { output, problems } = repair(messages, { format: "ai-sdk" });
        expect(problems.filter(({ repairable }) => repairable)).toEqual([]);
        expect(repair(output, { format: "ai-sdk" }).output).toBe(output);
        const written = JSON.stringify(output);
        for (const [given] of JSON.stringify(messages).matchAll(/(?:text|result) \d+\./gu)) {
          expect(written).toContain(given);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("a result that belongs to the application's call does not settle the provider's call", () => {
    const ours = { type: "tool-call", toolCallId: "c1", toolName: "get", input: {} };
    const theirs = { type: "tool-call", toolCallId: "c1", toolName: "web", input: {}, providerExecuted: true };
    const found = { type: "tool-result", toolCallId: "c1", toolName: "get", output: { type: "text", value: "R" } };
    const { output, edits } = repair(
      [
        { role: "assistant", content: [theirs, ours] },
        { role: "tool", content: [found] },
        { role: "user", content: "x" },
      ],
      { format: "ai-sdk" },
    );
    expect(edits.map(({ rule, type }) => [rule, type])).toEqual([["unpaired-server-call", "remove"]]);
    expect(output).toEqual([
      { role: "assistant", content: [ours] },
      { role: "tool", content: [found] },
      { role: "user", content: "x" },
    ]);
  });
});

test("a provider call and a result without ids are settled in one repair", () => {
  const { output, problems } = repair(
    [
      { role: "user", content: "x" },
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "", toolName: "web", input: {}, providerExecuted: true },
          { type: "tool-result", toolName: "web", output: { type: "text", value: "R" } },
          { type: "text", text: "y" },
        ],
      },
      { role: "assistant", content: "" },
    ],
    { format: "ai-sdk" },
  );
  expect(problems).toEqual([]);
  expect(repair(output, { format: "ai-sdk" }).output).toBe(output);
  expect(JSON.stringify(output)).toContain('"R"');
});
