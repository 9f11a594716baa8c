// The same history for another provider: what was fine for one is refused by the next, by its ids for instance.
import { check, repair } from "undangle";

const messages = [
  { role: "user", content: "List the files." },
  {
    role: "assistant",
    content: "",
    tool_calls: [{ id: "call_mZ1kY0q7", type: "function", function: { name: "ls", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "call_mZ1kY0q7", content: "a.txt" },
  { role: "user", content: "And now?" },
];

for (const provider of ["openai", "mistral", "cohere"]) {
  console.log(`${provider}, problems: ${check(messages, { provider }).length}`);
  for (const { rule, type, to, before, after } of repair(messages, { provider }).edits) {
    const what =
      typeof after === "string" ? `${JSON.stringify(before)} is now ${JSON.stringify(after)}` : JSON.stringify(after);
    console.log(`  ${rule}: ${type} at ${to}: ${what}`);
  }
}
