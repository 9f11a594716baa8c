// A gate in front of any client: what would be refused is mended and logged, what cannot be mended is not sent.
import { check, repair } from "undangle";
import type { RepairOptions } from "undangle";

/** The body as the provider takes it; throws where only the caller can know what was meant. */
function prepare<Body>(body: Body, options: RepairOptions): Body {
  const { output, edits, problems } = repair(body, options);
  for (const { rule, from, lossless } of edits)
    console.log(`  mended ${rule} at ${from}${lossless ? "" : ", with a loss"}`);
  const [problem] = problems;
  if (problem !== undefined) throw new Error(`${problem.path}: ${problem.message}`);
  return output;
}

const call = { id: "call_1", type: "function", function: { name: "get_time", arguments: "{}" } };
const bodies = {
  healthy: { model: "gpt-4o", messages: [{ role: "user", content: "Hello" }] },
  dangling: {
    model: "gpt-4o",
    messages: [
      { role: "user", content: "What time is it?" },
      { role: "assistant", content: null, tool_calls: [call] },
    ],
  },
  empty: { model: "gpt-4o", messages: [] },
};

for (const [name, body] of Object.entries(bodies)) {
  console.log(`${name}, problems: ${check(body, { format: "openai-chat" }).length}`);
  try {
    const ready = prepare(body, { format: "openai-chat" });
    console.log(`  sent, messages: ${ready.messages.length}${ready === body ? ", the same object" : ""}`);
  } catch (error) {
    console.log(`  not sent: ${error instanceof Error ? error.message : String(error)}`);
  }
}
