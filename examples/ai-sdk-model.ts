// A model of the AI SDK behind an agent with approvals, and another one that takes over when it fails.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createAgent, tool } from "undangle/agent";
import { aiSdkModel, fallback } from "undangle/models";
import { wireServer } from "undangle/testing";
import { z } from "zod";

// They stand in for the providers here. With keys, `openai("gpt-5.1")` and `anthropic("claude-sonnet-5-5")` are all that is needed.
const busy = await wireServer({
  turns: [
    {
      reasoning: "Two invoices are due.",
      seal: "gAAAAABsealed",
      text: "I pay both.",
      calls: [
        { name: "pay", arguments: { to: "the baker", euros: 20 } },
        { name: "pay", arguments: { to: "the bank", euros: 9000 } },
      ],
    },
    { text: "The baker is pa", faults: ["cut"] },
  ],
});
const spare = await wireServer({ turns: [{ text: "The baker is paid, the bank is not." }] });
const openai = createOpenAI({ apiKey: "none", baseURL: busy.baseUrl("openai-responses") });
const anthropic = createAnthropic({ apiKey: "none", baseURL: `${spare.baseUrl("anthropic")}/v1` });

const pay = tool({
  name: "pay",
  description: "Pays an invoice.",
  input: z.object({ to: z.string(), euros: z.number() }),
  approval: true,
  execute: ({ to, euros }) => `${euros} euros were paid to ${to}.`,
});

const model = fallback(aiSdkModel(openai("gpt-5.1"), { retries: 0 }), aiSdkModel(anthropic("claude-sonnet-5-5")));
const thread = createAgent({ model, tools: [pay] }).thread("invoices");

const { pending } = await thread.send("Pay what is due.").result;
const [baker, bank] = pending;
if (baker === undefined || bank === undefined) throw new Error("Two calls have to wait.");
for (const { name, arguments: given } of pending) console.log("waits:", name, given);

const run = thread.decide({ [baker.id]: { type: "approve" }, [bank.id]: { type: "reject", reason: "not this month" } });
for await (const { type, data } of run) {
  if (type === "tool_call_end") console.log(`${data.name}: ${data.status}`);
  if (type === "model_discarded") console.log("discarded:", data.reason);
  if (type === "model_end") console.log("answered by:", data.model);
}
console.log((await run.result).text);
await Promise.all([busy.close(), spare.close()]);
