// The same conversation for another provider: the whole request body, and a list of what does not fit.
import { check, convert } from "undangle";

const body = {
  model: "gpt-4o",
  messages: [
    { role: "system", content: "Answer in one sentence." },
    {
      role: "user",
      content: [
        { type: "text", text: "Where was this taken?" },
        { type: "image_url", image_url: { url: "https://example.com/beach.jpg" } },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "find_place", arguments: '{"hint":"beach"}' } }],
    },
    { role: "tool", tool_call_id: "call_1", content: "Praia da Rocha" },
    { role: "user", content: "And how far is that?" },
  ],
  tools: [
    { type: "function", function: { name: "find_place", parameters: { type: "object", properties: { hint: {} } } } },
  ],
  temperature: 0.2,
};

const targets = [
  { to: "anthropic", model: "claude-sonnet-5-5" },
  { to: "gemini", model: "gemini-2.5-flash" },
  { to: "bedrock", model: "us.amazon.nova-pro-v1:0" },
] as const;

for (const target of targets) {
  const { output, losses } = convert(body, target);
  console.log(`${target.to}: ${check(output, { format: target.to }).length} problems, ${losses.length} losses`);
  for (const { path, what, why } of losses) console.log(`  ${path}: ${what}: ${why}`);
}
