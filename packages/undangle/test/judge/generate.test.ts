import { describe, expect, test } from "vitest";
import { generate, lostTexts, messagesOf, textsOf } from "./generate.ts";
import { judge } from "./judge.ts";
import { formats } from "./subjects.ts";

const seeds = Array.from({ length: 400 }, (_, seed) => seed);

describe.each(formats)("generated %s conversations", (format) => {
  test("are legal in the eyes of the judge", () => {
    const illegal = seeds.flatMap((seed) => {
      const verdicts = judge(generate(format, seed, seed % 9), { format });
      return verdicts.length === 0 ? [] : [{ seed, verdicts }];
    });
    expect(illegal).toEqual([]);
  });

  test("carry texts that are all different", () => {
    for (const seed of seeds) {
      const texts = textsOf(generate(format, seed, 6), format);
      expect(new Set(texts).size).toBe(texts.length);
    }
  });

  test("are the same for the same seed and differ between seeds", () => {
    const bodies = seeds.map((seed) => JSON.stringify(generate(format, seed, 4)));
    expect(seeds.map((seed) => JSON.stringify(generate(format, seed, 4)))).toEqual(bodies);
    expect(new Set(bodies).size).toBeGreaterThan(seeds.length * 0.95);
  });

  test("grow with the size that is asked for", () => {
    const lengthOf = (size: number): number => messagesOf(generate(format, 7, size), format).length;
    expect(lengthOf(200)).toBeGreaterThan(lengthOf(20));
    expect(lengthOf(0)).toBeGreaterThan(0);
  });
});

describe("texts of a body", () => {
  test("are found in strings, parts, refusals, nested results and raw payloads, but not in system prompts", () => {
    const chat = [
      { role: "system", content: "not this" },
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "image_url", image_url: { url: "x" } },
        ],
      },
      { role: "assistant", content: null, refusal: "b" },
      { role: "tool", tool_call_id: "c1", content: [{ id: 1, total: "12.00" }] },
    ];
    expect(textsOf(chat, "openai-chat")).toEqual(["a", "b", "12.00"]);
    const blocks = [
      {
        role: "assistant",
        content: [
          { type: "text", text: "a" },
          { type: "tool_use", id: "t", input: { not: "this" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "b" }] }] },
    ];
    expect(textsOf({ messages: blocks }, "anthropic")).toEqual(["a", "b"]);
  });

  test("count as kept inside longer strings and inside JSON, however often it is escaped", () => {
    const text = 'line 1\n"line 2" 你';
    const inside = [text, JSON.stringify({ _raw: text }), `quoted: ${JSON.stringify(JSON.stringify([text]))}`];
    for (const content of inside) expect(lostTexts([` ${text} `], [{ role: "user", content }])).toEqual([]);
    expect(lostTexts(["gone", " "], [{ role: "user", content: "here" }])).toEqual(["gone"]);
  });
});
