// A chat history that was interrupted twice: repaired, with what was done and what the model will read.
import { repair } from "undangle";

const call = (id: string, name: string, args: string) => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

const messages = [
  { role: "user", content: "Find a flight and a hotel in Lisbon." },
  {
    role: "assistant",
    content: null,
    tool_calls: [
      call("call_1", "search_flights", '{"to": "LIS"}'),
      call("call_2", "search_hotels", '{"city": "Lisbon"}'),
    ],
  },
  { role: "tool", tool_call_id: "call_1", content: "TP 533, 06:15, 189 EUR" },
  { role: "user", content: "Near the river, please." }, // came in while the second tool was running
  { role: "tool", tool_call_id: "call_2", content: "Casa do Tejo, 142 EUR a night" },
  { role: "assistant", content: null, tool_calls: [call("call_3", "book_hotel", '{"hotel": "Casa do Te')] }, // cut off
];

const { output, edits } = repair(messages, { format: "openai-chat" });

console.log("Edits:");
for (const { rule, type, from, to } of edits) console.log(`  ${rule}: ${type}, ${from} -> ${to}`);

console.log("\nThe history as it can be sent:");
for (const { role, content, tool_calls = [] } of output) {
  const calls = tool_calls.map(({ id, function: { name, arguments: args } }) => `${name}(${args}) as ${id}`);
  console.log(`  ${role}: ${[content, ...calls].filter(Boolean).join(" + ")}`);
}
