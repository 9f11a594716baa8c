import { convert } from "undangle";
import type { Format } from "undangle";
import { describe, expect, test } from "vitest";

const history = (args: string) => [
  { role: "user", content: "hi" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: args } }],
  },
  { role: "tool", tool_call_id: "c1", content: "ok" },
];

/** Formats whose arguments are an object, so that numbers become doubles. */
const objects: readonly Format[] = ["anthropic", "gemini", "bedrock", "ollama", "ai-sdk", "langchain"];

describe("convert reports numbers that a double cannot hold", () => {
  test.each<[about: string, number: string, isLost: boolean]>([
    ["a short number", "12", false],
    ["2 to the power of 60, which is exact", "1152921504606846976", false],
    ["an integer above 53 bits", "9007199254740993", true],
    ["a negative integer above 53 bits", "-9007199254740993", true],
    ["an integer above 53 bits with decimals", "9007199254740993.5", true],
    ["an integer above 53 bits with an exponent", "9007199254740993e3", true],
    ["a long round number with an exponent", "10000000000000000e2", false],
    ["decimals that are rounded", "0.30000000000000004441", false],
    ["400 digits", "9".repeat(400), true],
    ["400 digits and decimals", `1${"0".repeat(400)}.5`, true],
    ["400 digits and an exponent that makes them small", `1${"0".repeat(400)}e-400`, true],
    ["an exponent that is too large", "1e999", true],
    ["a negative exponent that is too large", "-1e999", true],
    ["an exponent that is too small", "1e-999", true],
  ])("%s", (_, number, isLost) => {
    for (const to of objects) {
      const { losses } = convert(history(`{"a":[${number}],"b":"1e999 9007199254740993 \\" 1e999"}`), {
        from: "openai-chat",
        to,
      });
      expect({ to, losses: losses.map(({ what }) => what) }).toEqual({
        to,
        losses: isLost ? ["digits of a number in the arguments"] : [],
      });
    }
  });
});
