import { createAgent } from "undangle/agent";
import { scriptedModel } from "undangle/testing";
import { describe, expect, test } from "vitest";

const formats = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "gemini",
  "bedrock",
  "ollama",
  "ai-sdk",
  "langchain",
] as const;

const shapes: readonly object[] = [
  { content: "hi" },
  { content: [{ type: "text", text: "hi" }] },
  { content: [{ text: "hi" }] },
  { parts: [{ text: "hi" }] },
  { text: "hi" },
];

describe.each(formats)("a message with an unknown role is imported with its text and an edit (%s)", (format) => {
  test.each([["x"], [7]])("role %j", async (role) => {
    for (const shape of shapes) {
      for (const after of [
        [],
        [{ role: "user", ...(format === "gemini" ? { parts: [{ text: "yo" }] } : { content: "yo" }) }],
      ]) {
        const thread = createAgent({ model: scriptedModel([]), tools: [] }).thread("t");
        const { edits } = await thread.import([{ role, ...shape }, ...after], { format });
        expect(edits.map(({ rule }) => rule)).toContain("unknown-role");
        const history = JSON.stringify(await thread.export("openai-chat"));
        expect(history).toContain("hi");
        expect(history.indexOf("hi")).toBeLessThan(after.length === 0 ? Infinity : history.indexOf("yo"));
      }
    }
  });
});

test("the edit names the role that was given and the role that it became", async () => {
  const thread = createAgent({ model: scriptedModel([]), tools: [] }).thread("t");
  const { edits } = await thread.import([{ role: "x", content: "hi" }]);
  expect(edits).toEqual([
    {
      rule: "unknown-role",
      type: "rewrite",
      from: "messages[0].role",
      to: "messages[0].role",
      before: "x",
      after: "user",
      lossless: true,
      reconstructed: false,
    },
  ]);
});
