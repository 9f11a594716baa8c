// Two parallel calls, one result, and the user went on talking: the call without a result gets one, in its place.
import { repair } from "undangle";

const body = {
  model: "claude-sonnet-5-5",
  max_tokens: 1024,
  tools: [{ name: "read_file", input_schema: { type: "object", properties: { path: { type: "string" } } } }],
  messages: [
    { role: "user", content: "What do a.txt and b.txt say?" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I will read both." },
        { type: "tool_use", id: "toolu_a", name: "read_file", input: { path: "a.txt" } },
        { type: "tool_use", id: "toolu_b", name: "read_file", input: { path: "b.txt" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "text", text: "Never mind the second one." },
        { type: "tool_result", tool_use_id: "toolu_a", content: "Alpha." },
      ],
    },
  ],
};

const { output, edits } = repair(body, { format: "anthropic" });

for (const { rule, type, to } of edits) console.log(`${rule}: ${type}, now at ${to}`);
console.log("\nThe last user message:");
console.log(JSON.stringify(output.messages.at(-1), null, 2));
console.log(`\nMessages that needed no edit are the same objects: ${output.messages[1] === body.messages[1]}`);
