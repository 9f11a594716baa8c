// An agent without a key: the demo model uses the tools it is given, one call is approved, one rejected.
import { createAgent, tool } from "undangle/agent";
import type { Decision } from "undangle/agent";
import { demoModel } from "undangle/models";

const readMail = tool({
  name: "read_mail",
  description: "Reads the newest mail of the inbox.",
  execute: () => "From ACME: invoice 12, 300 euros, due on Friday.",
});
const pay = tool({
  name: "pay_invoice",
  description: "Pays an invoice.",
  input: {
    type: "object",
    properties: { invoice: { type: "integer" }, amount: { type: "number", description: "Euros." } },
    required: ["invoice", "amount"],
  },
  execute: ({ invoice, amount }) => `Invoice ${invoice} is paid: ${amount} euros.`,
});
const deleteMail = tool({
  name: "delete_mail",
  description: "Deletes all mail of the inbox.",
  execute: () => "The inbox is empty.",
});

const agent = createAgent({
  model: demoModel({ pace: 0 }),
  tools: [readMail, pay, deleteMail],
  approvals: [{ tools: ["pay_*", "delete_*"] }],
});
const thread = agent.thread("inbox");

const { pending } = await thread.send("Read my mail, pay invoice 12 (300 euros) and delete all mail.").result;
for (const { id, name, arguments: args } of pending) console.log(`${id} waits: ${name} ${JSON.stringify(args)}`);

const decisions: Record<string, Decision> = {};
for (const { id, name } of pending) {
  decisions[id] = name === "pay_invoice" ? { type: "approve" } : { type: "reject", reason: "I keep my mail" };
}
const { text } = await thread.decide(decisions, { by: "me" }).result;
console.log(text);
