// A stored history that makes generateText throw, and the one line that lets the conversation go on.
import { generateText, type ModelMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { repairStep } from "undangle/ai-sdk";

// Stands for any model: it says what it was told about the calls, and answers.
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    for (const { role, content } of prompt) {
      if (role !== "tool") continue;
      for (const part of content) if (part.type === "tool-result") console.log(`  ${JSON.stringify(part.output)}`);
    }
    return {
      content: [{ type: "text", text: "Two of the three are booked." }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: {
        inputTokens: { total: 9, noCache: 9, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 7, text: 7, reasoning: 0 },
      },
      warnings: [],
    };
  },
});

const call = (id: string, city: string) => ({
  type: "tool-call" as const,
  toolCallId: id,
  toolName: "book_hotel",
  input: { city },
});
const result = (id: string, value: string) => ({
  type: "tool-result" as const,
  toolCallId: id,
  toolName: "book_hotel",
  output: { type: "text" as const, value },
});

// Three calls; the page was closed before the second one had finished.
const messages: ModelMessage[] = [
  { role: "user", content: "Book hotels in Lisbon, Porto and Faro." },
  { role: "assistant", content: [call("call_1", "Lisbon"), call("call_2", "Porto"), call("call_3", "Faro")] },
  { role: "tool", content: [result("call_1", "booked: Casa do Tejo"), result("call_3", "booked: Ria Formosa")] },
  { role: "user", content: "Are we done?" },
];

try {
  await generateText({ model, messages });
} catch (error) {
  console.log(`Without a repair: ${error instanceof Error ? error.message : String(error)}`);
}

console.log("With one, the model is told:");
const { text } = await generateText({ model, messages, prepareStep: repairStep() });
console.log(`and it answers: ${text}`);
