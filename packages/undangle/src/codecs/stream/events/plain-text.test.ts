import fc from "fast-check";
import { expect, test } from "vitest";

import { createFrameReader } from "../frame-reader.ts";
import type { StreamFormat } from "../formats.ts";
import { dialects } from "./dialects.ts";

/** The place of the text if the whole event is plain text. */
function placeIn(format: StreamFormat, raw: string): string | undefined {
  const { pattern, placeOf } = dialects[format].plainText ?? { pattern: /(?!)/uy, placeOf: () => "" };
  pattern.lastIndex = 0;
  const match = pattern.exec(raw);
  return match?.[0] === raw ? placeOf(match.groups ?? {}) : undefined;
}

const chat = (delta: object, more: object = {}, choice: object = {}): string =>
  `data: ${JSON.stringify({
    id: "x",
    object: "chat.completion.chunk",
    created: 1_767_225_600,
    model: "m",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...choice }],
    ...more,
  })}\n\n`;
const named = (value: { readonly type: string; readonly [key: string]: unknown }): string =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const block = (delta: object, index: unknown = 0): string => named({ type: "content_block_delta", index, delta });
const output = (more: object, type = "response.output_text.delta"): string =>
  named({ type, sequence_number: 4, item_id: "msg_1", output_index: 0, content_index: 0, ...more });

const table: readonly (readonly [what: string, format: StreamFormat, raw: string, place: string | undefined])[] = [
  ["text", "openai-chat", chat({ content: 'a "b" ü\n' }), "content"],
  ["reasoning", "openai-chat", chat({ reasoning_content: "a" }), "reasoning_content"],
  ["OpenAI's random field", "openai-chat", chat({ content: "a" }, { usage: null, obfuscation: "x8" }), "content"],
  ["text that looks like a call", "openai-chat", chat({ content: '{"tool_calls":[{}]}' }), "content"],
  ["no text", "openai-chat", chat({ content: "" }), undefined],
  ["a role", "openai-chat", chat({ role: "assistant", content: "a" }), undefined],
  ["a call", "openai-chat", chat({ tool_calls: [{ index: 0 }] }), undefined],
  ["text and a call", "openai-chat", chat({ content: "a", tool_calls: [{ index: 0 }] }), undefined],
  ["a finish reason", "openai-chat", chat({ content: "a" }, {}, { finish_reason: "stop" }), undefined],
  ["an error", "openai-chat", chat({ content: "a" }, { error: { message: "x" } }), undefined],
  ["usage", "openai-chat", chat({ content: "a" }, { usage: { total_tokens: 1 } }), undefined],
  ["another choice", "openai-chat", chat({ content: "a" }, {}, { index: 1 }), undefined],
  ["a number in place of an id", "openai-chat", chat({ content: "a" }).replace('"x"', "1"), undefined],
  ["a name of the event", "openai-chat", `event: x\n${chat({ content: "a" })}`, undefined],
  ["a line break of another kind", "openai-chat", chat({ content: "a" }).replace("\n\n", "\r\n\r\n"), undefined],
  ["half an escape", "openai-chat", chat({ content: "a" }).replace('"a"', String.raw`"\u12"`), undefined],
  ["text", "anthropic", block({ type: "text_delta", text: "a" }), "0 text"],
  ["thinking", "anthropic", block({ type: "thinking_delta", thinking: "a" }, 3), "3 thinking"],
  ["blanks", "anthropic", block({ type: "text_delta", text: "a" }).replace("}\n", "   }\n"), "0 text"],
  ["arguments", "anthropic", block({ type: "input_json_delta", partial_json: "{" }), undefined],
  ["a signature", "anthropic", block({ type: "signature_delta", signature: "x" }), undefined],
  ["no index", "anthropic", block({ type: "text_delta", text: "a" }, null), undefined],
  [
    "text",
    "openai-responses",
    output({ delta: "a", logprobs: [], obfuscation: "x" }),
    '"item_id":"msg_1","output_index":0 0',
  ],
  ["a refusal", "openai-responses", output({ delta: "a" }, "response.refusal.delta"), undefined],
  ["arguments", "openai-responses", output({ delta: "a" }, "response.function_call_arguments.delta"), undefined],
];

test.each(table)("%s of %s: %s", (_, format, raw, place) => {
  expect(placeIn(format, raw)).toBe(place);
});

test("an event that matches contains one text, and nothing else", () => {
  const plain = table.filter(([, , , place]) => place !== undefined);
  const edit = fc.record({
    at: fc.nat(),
    cut: fc.nat(3),
    put: fc.constantFrom("", '"', "\\", "}", "{", ",", "1", "\n", "ü"),
  });
  fc.assert(
    fc.property(fc.constantFrom(...plain), fc.array(edit, { maxLength: 3 }), ([, format, raw], edits) => {
      let text = raw;
      for (const { at, cut, put } of edits) {
        const from = at % text.length;
        text = text.slice(0, from) + put + text.slice(from + cut);
      }
      if (placeIn(format, text) === undefined) return;
      const reader = createFrameReader({ format, tools: undefined, isSingle: true, isBare: false });
      const start = named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
      if (format === "anthropic") reader.take(start);
      const frames = reader.take(text);
      expect(frames).toMatchObject([{ hasCall: false, hasEnd: false, slots: [], isUnrelated: false }]);
      expect(frames[0]?.texts).toHaveLength(1);
      expect(dialects[format].isCanonical(text, 1)).toBe(true);
    }),
  );
});
