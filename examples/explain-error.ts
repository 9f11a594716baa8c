// What an error text means: as the provider wrote it, wrapped by a gateway, and one that nobody knows.
import { explain } from "undangle";

const texts = [
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    "The following tool_call_ids did not have response messages: call_9",
  'litellm.BadRequestError: AnthropicException - {"error": {"message": "messages.4: `tool_use` ids were found without ' +
    '`tool_result` blocks immediately after: toolu_7"}}',
  "Sorry, a tool call went wrong somewhere.",
];

for (const text of texts) {
  console.log(text.length <= 90 ? text : `${text.slice(0, 90)}…`);
  const [first, ...others] = explain(text);
  if (first === undefined) console.log("  Nothing is near to this text.");
  else if (first.confidence === "nearest")
    console.log(`  Not known. The nearest rule is ${first.rule}: ${first.title}.`);
  else {
    console.log(`  ${first.rule}: ${first.title}.`);
    console.log(`  Fix: ${first.fix}`);
    if (others.length > 0) console.log(`  Or: ${others.map(({ rule }) => rule).join(", ")}.`);
  }
  console.log();
}
