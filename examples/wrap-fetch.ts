// One line, and an SDK survives a history with a dangling call and an answer that is damaged on the way.
import OpenAI from "openai";
import { wrapFetch } from "undangle";
import { wireServer } from "undangle/testing";

// Stands for a provider: it refuses what OpenAI refuses, and its second answer has no id in the first delta of a call.
const server = await wireServer({
  turns: [
    { text: "Which day?" },
    { calls: [{ name: "book_table", arguments: { guests: 4 } }], faults: ["id-null-first"] },
  ],
});
const baseURL = server.baseUrl("openai-chat");
const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: "user", content: "Book a table for four." },
  {
    role: "assistant",
    tool_calls: [{ id: "call_1", type: "function", function: { name: "book_table", arguments: '{"guests":4}' } }],
  },
  { role: "user", content: "On second thought, for Friday." }, // the tool was never run
];

try {
  await new OpenAI({ baseURL, apiKey: "none" }).chat.completions.create({ model: "gpt-4.1", messages });
} catch (error) {
  console.log(`Without it: ${String(error).slice(0, 100)}…`);
}

const fetch = wrapFetch({
  logger: false,
  onRepair: ({ side, edits = [] }) => console.log(`  ${side}: ${edits.length} edits`),
});
const client = new OpenAI({ baseURL, apiKey: "none", fetch });
console.log("With it:");
const { choices } = await client.chat.completions.create({ model: "gpt-4.1", messages });
console.log(choices[0]?.message.content);
messages.push({ role: "assistant", content: "Which day?" }, { role: "user", content: "Friday." });
const { tool_calls: calls } = await client.chat.completions.stream({ model: "gpt-4.1", messages }).finalMessage();
for (const call of calls ?? []) if (call.type === "function") console.log(call.function.name, call.function.arguments);
await server.close();
