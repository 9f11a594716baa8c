import { setTimeout as pause } from "node:timers/promises";

import type { Language } from "#core";
import { tool } from "#engine";
import type { AnyTool, ToolContext } from "#engine";

import type { AgentConfig } from "../config.ts";
import { demoWords } from "./demo-words.ts";

/**
 * The default agent: a clock, notes and a simulated inbox, all stored in the thread. Nothing leaves the machine. Calls
 * that would spend money or delete data need approval.
 */
export function demoAgent(language: Language, now: () => number = Date.now): AgentConfig {
  const words = demoWords[language];
  const { descriptions } = words;
  const tools: readonly AnyTool[] = [
    tool({
      name: "get_time",
      description: descriptions.get_time,
      annotations: { readOnly: true },
      idempotent: true,
      execute: () => words.time(new Date(now())),
    }),
    tool({
      name: "read_mail",
      description: descriptions.read_mail,
      annotations: { readOnly: true },
      idempotent: true,
      async execute(_, context) {
        context.progress(words.connecting);
        await pause(slowness, undefined, { signal: context.signal });
        const mails = inboxOf(context, words.mails);
        context.progress(words.reading(mails.length));
        await pause(slowness, undefined, { signal: context.signal });
        return mails.length === 0 ? words.emptyInbox : mails.join("\n");
      },
    }),
    tool({
      name: "pay_invoice",
      description: descriptions.pay_invoice,
      input: {
        type: "object",
        properties: { invoice: { type: "integer" }, amount: { type: "number", description: words.currency } },
        required: ["invoice", "amount"],
      },
      async execute({ invoice, amount }, context) {
        await pause(slowness, undefined, { signal: context.signal });
        if (amount > balance) throw new Error(words.tooMuch(amount, balance));
        context.state.set("paid", [...textsIn(context, "paid"), String(invoice)]);
        return words.paid(invoice, amount);
      },
    }),
    tool({
      name: "delete_mail",
      description: descriptions.delete_mail,
      annotations: { destructive: true },
      execute(_, context) {
        const { length } = inboxOf(context, words.mails);
        context.state.set("inbox", []);
        return words.deleted(length);
      },
    }),
    tool({
      name: "add_note",
      description: descriptions.add_note,
      input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      execute({ text }, context) {
        const notes = [...textsIn(context, "notes"), text];
        context.state.set("notes", notes);
        return words.noted(notes.length);
      },
    }),
    tool({
      name: "list_notes",
      description: descriptions.list_notes,
      annotations: { readOnly: true },
      idempotent: true,
      execute(_, context) {
        const notes = textsIn(context, "notes");
        return notes.length === 0 ? words.noNotes : notes.map((note, index) => `${index + 1}. ${note}`).join("\n");
      },
    }),
  ];
  return {
    name: "demo",
    instructions: words.instructions,
    tools,
    approvals: [{ tools: ["pay_invoice", "delete_mail"] }],
  };
}

/** The euros of the simulated account. A payment of more fails, so that people can see how a failure is reported. */
const balance = 1000;

/** The duration of simulated work in milliseconds, long enough to see. */
const slowness = 400;

const inboxOf = (context: ToolContext, first: readonly string[]): readonly string[] =>
  context.state.get("inbox") === undefined ? first : textsIn(context, "inbox");

function textsIn({ state }: ToolContext, key: string): readonly string[] {
  const value = state.get(key);
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
