import { check, repair } from "undangle";
import { expect, test } from "vitest";

test("DeepSeek takes no role system in Anthropic's format", () => {
  const messages = [
    { role: "user", content: "Hi." },
    { role: "system", content: "Be brief." },
  ];
  const body = { model: "deepseek-chat", max_tokens: 99, messages };
  const { output } = repair(body, { format: "anthropic" });
  expect(JSON.stringify(output)).toContain("Be brief.");
  expect(output.messages.map(({ role }) => role)).not.toContain("system");
  expect(check(output, { format: "anthropic" })).toEqual([]);
});
