// A person approved one of three calls: the others are answered too, so that the history stays healthy.
import { check, renderNotice } from "undangle";

const calls = [
  { id: "call_1", name: "transfer", arguments: '{"to": "ACME", "amount": 120}' },
  { id: "call_2", name: "transfer", arguments: '{"to": "Initech", "amount": 80}' },
  { id: "call_3", name: "close_account", arguments: "{}" },
];
const decisions = new Map([
  ["call_1", { approved: true }],
  ["call_2", { approved: false, reason: "not this month" }],
  ["call_3", { approved: false }],
]);

const results = calls.map((call) => {
  const decision: { readonly approved: boolean; readonly reason?: string } | undefined = decisions.get(call.id);
  const content =
    decision?.approved === true ? "Done." : renderNotice({ ...call, reason: decision?.reason }, "rejected");
  return { role: "tool", tool_call_id: call.id, content };
});

const messages = [
  { role: "user", content: "Pay the open invoices and close the account." },
  {
    role: "assistant",
    content: null,
    tool_calls: calls.map(({ id, ...called }) => ({ id, type: "function", function: called })),
  },
  ...results,
];

for (const { tool_call_id, content } of results) console.log(`${tool_call_id}: ${content}`);
console.log(`Problems in the history: ${check(messages, { format: "openai-chat" }).length}`);
