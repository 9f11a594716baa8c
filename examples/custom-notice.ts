// Your own words for a call without a result, and words that have to be looked up first.
import { renderNotice, repair, repairAsync } from "undangle";
import type { NoticeRequest } from "undangle";

const transfer = { name: "transfer", arguments: '{"to": "ACME", "amount": 120}' };
const messages = [
  { role: "user", content: "Pay ACME 120 euros." },
  { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", function: transfer }] },
];

/** Transfers must not be repeated on a guess; every other tool keeps the default words. */
function notice(call: NoticeRequest): string {
  const { id, name, cause, language } = call;
  if (name !== "transfer" || cause !== "interrupted") return renderNotice({ id, name }, cause, { language });
  return `It is not known whether the transfer ${id} was made. Ask list_transfers before you try again.`;
}

/** Another source of truth can be asked: a promise is taken by repairAsync. */
async function lookUp({ id }: NoticeRequest): Promise<string> {
  const ledger = new Map([["call_1", "booked at 10:42"]]); // stands for a database
  return await Promise.resolve(
    `The result of ${id} was lost on the way, but the ledger says: ${ledger.get(id) ?? "nothing"}.`,
  );
}

const lastContent = (list: typeof messages): string => list.at(-1)?.content ?? "";

console.log(`default: ${lastContent(repair(messages).output)}`);
console.log(`Chinese: ${lastContent(repair(messages, { language: "zh" }).output)}`);
console.log(`custom:  ${lastContent(repair(messages, { notice }).output)}`);
console.log(`async:   ${lastContent((await repairAsync(messages, { notice: lookUp })).output)}`);
