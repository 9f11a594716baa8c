import { convert } from "undangle";
import { expect, test } from "vitest";

test("Gemini's signatures come back from a format that holds them", () => {
  const contents = [
    { role: "user", parts: [{ text: "Look." }] },
    { role: "model", parts: [{ functionCall: { id: "a", name: "look", args: {} }, thoughtSignature: "CiQBc2ln" }] },
    { role: "user", parts: [{ functionResponse: { id: "a", name: "look", response: { result: "seen" } } }] },
  ];
  for (const to of ["openai-chat", "ai-sdk"] as const) {
    const { output, losses } = convert({ model: "gemini-3-pro-preview", contents }, { to });
    expect(losses).toEqual([]);
    expect(convert(output, { from: to, to: "gemini" }).output).toMatchObject({ contents });
  }
  expect(convert({ contents }, { to: "openai-chat", model: "gpt-5.1" }).losses).toMatchObject([
    { path: "contents[1].parts[0]", what: "a signature from gemini" },
  ]);
});
