import { describe, expect, it } from "vitest";

import { estimateTokens } from "./estimate-tokens.ts";

const base64 = "iVBORw0KGgoAAAANSUhEUgAA".repeat(20_000);

describe("An estimate of tokens", () => {
  // Between half and twice the counts of o200k_base, which many models of today are near.
  it.each<[string, unknown, number, number]>([
    ["English", "The quick brown fox jumps over the lazy dog. ".repeat(100), 900, 1200],
    ["a long word", "a".repeat(40_000), 10_000, 10_000],
    ["Chinese", "汉".repeat(10_000), 6000, 10_000],
    ["Chinese punctuation", "，。".repeat(5000), 6000, 10_000],
    ["Japanese", "これはテストです。".repeat(100), 500, 900],
    ["Korean", "안녕하세요".repeat(100), 300, 600],
    ["Russian", "Съешь ещё этих мягких французских булок".repeat(100), 1200, 2000],
    ["emoji", "👋".repeat(100), 100, 300],
    ["code", 'if (a[i] !== b[i]) { return { ok: false, at: "x" }; }\n'.repeat(100), 1600, 2600],
    ["digits", "1234567890".repeat(300), 900, 1100],
    ["nothing", "", 0, 0],
    ["no value", undefined, 0, 0],
  ])("of %s is near the count of a tokenizer", (_, text, least, most) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(least);
    expect(estimateTokens(text)).toBeLessThanOrEqual(most);
  });

  it("of a message is that of its text and a little more", () => {
    const content = "word ".repeat(1000);
    const tokens = estimateTokens({ role: "user", content });
    expect(tokens).toBeGreaterThan(estimateTokens(content));
    expect(tokens).toBeLessThan(estimateTokens(content) + 12);
  });

  it("of arguments is the same as text and as a value, within a fifth", () => {
    const value = {
      path: "/src/index.ts",
      limit: 100,
      lines: Array.from({ length: 50 }, (_, i) => `line ${i} of the file`),
    };
    const ratio = estimateTokens(value) / estimateTokens(JSON.stringify(value));
    expect(Math.abs(ratio - 1)).toBeLessThan(0.2);
  });

  it.each<[string, unknown]>([
    ["openai-chat", { type: "image_url", image_url: { url: `data:image/png;base64,${base64}` } }],
    ["openai-chat audio", { type: "input_audio", input_audio: { data: base64, format: "wav" } }],
    ["openai-chat file", { type: "file", file: { filename: "a.pdf", file_data: base64 } }],
    ["openai-responses", { type: "input_image", image_url: `data:image/png;base64,${base64}` }],
    ["a generated image", { type: "image_generation_call", result: base64 }],
    ["anthropic", { type: "image", source: { type: "base64", media_type: "image/png", data: base64 } }],
    ["gemini", { inlineData: { mimeType: "image/png", data: base64 } }],
    ["bedrock", { image: { format: "png", source: { bytes: new Uint8Array(400_000) } } }],
    ["bedrock as JSON", { image: { format: "png", source: { bytes: base64 } } }],
    ["bytes as a list", { type: "Buffer", data: Array.from({ length: 100_000 }, (_, i) => i % 256) }],
    ["ollama", { role: "user", content: "", images: [base64] }],
    ["ai-sdk", { type: "file", data: base64, mediaType: "application/pdf" }],
    ["ai-sdk image", { type: "image", image: base64 }],
    ["langchain", { type: "image", source_type: "base64", data: base64, mime_type: "image/png" }],
    ["a conversation", { type: "media", source: { type: "bytes", data: base64 } }],
  ])("of media is a flat number: %s", (_, part) => {
    expect(estimateTokens(part)).toBeGreaterThanOrEqual(1000);
    expect(estimateTokens(part)).toBeLessThan(1060);
  });

  it("counts a signature as nothing", () => {
    const thinking = { type: "thinking", thinking: "Let me see." };
    expect(estimateTokens({ ...thinking, signature: base64 })).toBe(estimateTokens(thinking));
  });

  it("counts a long text without spaces under the key of a message as text", () => {
    expect(estimateTokens({ role: "tool", content: "x".repeat(4000) })).toBeGreaterThan(1000);
  });
});
