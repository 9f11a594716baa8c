import { SystemMessage } from "@langchain/core/messages";
import { expect, test } from "vitest";

import { appendSystemText } from "./append-system-text.ts";

const cached = { type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } };

test.each([
  ["nothing", undefined, "And kind."],
  ["null", null, "And kind."],
  ["an empty text", "", "And kind."],
  ["a string", "Be brief.", "Be brief.\n\nAnd kind."],
  ["no parts", [], [{ type: "text", text: "And kind." }]],
  ["parts, whose marks stay where they are", [cached], [cached, { type: "text", text: "\n\nAnd kind." }]],
  ["parts of Bedrock and Gemini", [{ text: "Be brief." }], [{ text: "Be brief." }, { text: "\n\nAnd kind." }]],
  [
    "a blank part",
    [{ type: "text", text: "" }],
    [
      { type: "text", text: "" },
      { type: "text", text: "And kind." },
    ],
  ],
  ["a picture", [{ type: "image_url" }], [{ type: "image_url" }, { type: "text", text: "\n\nAnd kind." }]],
  ["texts", ["Be brief."], ["Be brief.", "\n\nAnd kind."]],
  [
    "input texts",
    [{ type: "input_text", text: "a" }],
    [
      { type: "input_text", text: "a" },
      { type: "input_text", text: "\n\nAnd kind." },
    ],
  ],
  ["a message", { role: "system", content: "Be brief." }, { role: "system", content: "Be brief.\n\nAnd kind." }],
  [
    "a message of parts",
    { role: "system", name: "x", content: [cached] },
    { role: "system", name: "x", content: [cached, { type: "text", text: "\n\nAnd kind." }] },
  ],
  ["a message without content", { role: "developer", content: null }, { role: "developer", content: "And kind." }],
  ["an instruction of Gemini", { parts: [{ text: "a" }] }, { parts: [{ text: "a" }, { text: "\n\nAnd kind." }] }],
  [
    "our own",
    [{ type: "text", path: "", text: "a" }],
    [
      { type: "text", path: "", text: "a" },
      { type: "text", path: "", text: "\n\nAnd kind." },
    ],
  ],
])("text is added to %s", (_, system, expected) => {
  const before = structuredClone(system);
  expect(appendSystemText(system, "And kind.")).toEqual(expected);
  expect(system).toEqual(before);
});

test("a message of a class stays one", () => {
  const message = new SystemMessage({ content: [{ type: "text", text: "Be brief." }], id: "1" });
  const longer = appendSystemText(message, "And kind.");
  expect(longer).toBeInstanceOf(SystemMessage);
  expect([longer.id, longer.content, message.content]).toEqual([
    "1",
    [
      { type: "text", text: "Be brief." },
      { type: "text", text: "\n\nAnd kind." },
    ],
    [{ type: "text", text: "Be brief." }],
  ]);
});

test("no text changes nothing", () => {
  const parts = [cached];
  expect(appendSystemText(parts, "")).toBe(parts);
  expect(appendSystemText("Be brief.", "")).toBe("Be brief.");
});

test("what is no system message is refused", () => {
  expect(() => appendSystemText(5, "x")).toThrow(/a string, a list of parts/u);
});
