import { check, repair } from "undangle";
import { describe, expect, test } from "vitest";

const U = { role: "user", content: "draw" };

describe("what a repair takes away leaves no new problem", () => {
  test.each(["xai", "moonshot", "zhipu", "mistral"])("%s: an assistant message of nothing but an image", (provider) => {
    const image = { type: "image_url", image_url: { url: "https://example.org/a.png" } };
    const { output, problems } = repair([U, { role: "assistant", content: [image] }, U], { provider });
    expect(problems).toEqual([]);
    expect(JSON.stringify(output)).toContain("https://example.org/a.png");
    expect(repair(output, { provider }).output).toBe(output);
  });

  test.each<[name: string, messages: unknown[], extra?: object]>([
    ["blank text behind text", [U, { role: "assistant", content: "Answer: " }, { role: "assistant", content: " " }]],
    [
      "an empty message behind text",
      [U, { role: "assistant", content: "Answer: " }, { role: "assistant", content: [] }],
    ],
    [
      "thinking and blanks",
      [
        U,
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "t", signature: "EqQBCkYIBRgC" },
            { type: "text", text: " " },
          ],
        },
        { role: "assistant", content: " " },
      ],
    ],
    ["a system message alone", [{ role: "system", content: "be nice" }]],
    ["a blank answer alone", [{ role: "assistant", content: " " }]],
    ["an empty text block alone", [{ role: "assistant", content: [{ type: "text", text: "" }] }]],
    ["unsigned thinking alone", [{ role: "assistant", content: [{ type: "thinking", thinking: "t" }] }]],
  ])("anthropic: %s", (_, messages) => {
    const body = { model: "claude-sonnet-4-5", max_tokens: 9, messages };
    expect(check(body)).not.toEqual([]);
    const { output, problems } = repair(body);
    expect(problems).toEqual([]);
    expect(output.messages.length).toBeGreaterThan(0);
    expect(repair(output).output).toBe(output);
  });

  test("mistral: empty text beside calls, and a single message that is a prefix", () => {
    const call = { id: "abcdefg01", type: "function", function: { name: "f", arguments: "{}" } };
    const old = [
      U,
      { role: "assistant", content: [{ type: "text", text: "" }], tool_calls: [call] },
      { role: "tool", tool_call_id: "abcdefg01", content: "r" },
    ];
    const single = [{ role: "assistant", content: "t", prefix: true }];
    for (const history of [old, single]) {
      const target = { provider: "mistral", model: "open-mixtral-8x22b" };
      const { output, problems } = repair(history, target);
      expect(problems).toEqual([]);
      expect(output).not.toBe(history);
      expect(repair(output, target).output).toBe(output);
    }
  });

  test("moonshot: null content beside reasoning becomes text", () => {
    const thought = { role: "assistant", content: null, reasoning_content: "r" };
    expect(repair([U, thought, U], { provider: "moonshot" }).output[1]).toEqual({ ...thought, content: "" });
  });

  test("hoisted system text keeps its cache marker", () => {
    const block = { type: "text", text: "s", cache_control: { type: "ephemeral" } };
    const body = {
      model: "claude-3-5-haiku-20241022",
      max_tokens: 9,
      system: "o",
      messages: [U, { role: "system", content: [block] }, U],
    };
    expect(repair(body).output.system).toEqual([{ type: "text", text: "o" }, block]);
  });
});

describe("blanks that are not ASCII", () => {
  test.each(["\u00A0", "\u3000", " \t\n"])("%j is blank to every rule", (blank) => {
    expect(
      check([{ role: "user", content: blank }, { role: "assistant", content: "a" }, U], { format: "anthropic" }),
    ).not.toEqual([]);
  });

  test("arguments of blanks are refused by servers that parse them, also in a turn that a look passes over", () => {
    const turn = (args: string) => [
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: args } }],
      },
      { role: "tool", tool_call_id: "a", content: "r" },
    ];
    expect(check([U, ...turn(" ")], { provider: "xai" })).toMatchObject([{ rule: "arguments-json" }]);
    expect(check([U, ...turn("{}")], { provider: "xai" })).toEqual([]);
  });
});
