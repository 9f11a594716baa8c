/** An office assistant with every kind of thread, for screenshots and tests of whole views. */
import { setTimeout as pause } from "node:timers/promises";

import { subagents, todos, tool } from "undangle/agent";
import type { Config } from "undangle/config";
import type { Client } from "undangle/client";
import { scriptedModel } from "undangle/testing";
import type { ScriptedTurn } from "undangle/testing";

const text = (description: string) => ({ type: "string", description }) as const;

const payInvoice = tool({
  name: "pay_invoice",
  title: "Pay an invoice",
  description: "Transfers money from the company account.",
  input: {
    type: "object",
    properties: {
      invoice: { type: "integer", title: "Invoice", minimum: 1 },
      amount: { type: "number", title: "Amount", minimum: 0 },
      currency: { enum: ["EUR", "USD", "CNY"], title: "Currency" },
      due: { type: "string", format: "date", title: "Due" },
    },
    required: ["invoice", "amount", "currency"],
    additionalProperties: false,
  } as const,
  approval: { expiresAfter: 8 * 60 * 60 * 1000 },
  execute: ({ invoice, amount, currency }) => `Invoice ${invoice} is paid: ${amount} ${currency}.`,
});

const deleteMail = tool({
  name: "delete_mail",
  title: "Delete mail",
  description: "Deletes messages permanently.",
  input: { type: "object", properties: { folder: text("The folder") }, required: ["folder"] } as const,
  annotations: { destructive: true },
  approval: true,
  execute: ({ folder }) => `${folder} is empty.`,
});

const readMail = tool({
  name: "read_mail",
  title: "Read mail",
  description: "Lists the unread messages.",
  annotations: { readOnly: true },
  execute: async () => {
    await pause(120);
    return "1. Invoice 12, 300 EUR, due 30 March\n2. Invoice 13, 80 EUR\n3. Newsletter (214 messages)";
  },
});

const runCommand = tool({
  name: "run_command",
  title: "Run a command",
  description: "Runs a shell command in the workspace.",
  input: { type: "object", properties: { command: text("The command") }, required: ["command"] } as const,
  annotations: { destructive: true },
  approval: { decisions: ["approve", "reject", "edit"] },
  render: ({ command }) => ({ type: "command", command }),
  execute: () => "Done.",
});

const editFile = tool({
  name: "edit_file",
  title: "Edit a file",
  description: "Replaces a text in a file.",
  input: {
    type: "object",
    properties: { path: text("The file"), old_text: text("Text to replace"), new_text: text("New text") },
    required: ["path", "old_text", "new_text"],
  } as const,
  annotations: { edits: true },
  approval: true,
  render: ({ path, old_text: before, new_text: after }) => ({
    type: "diff",
    path,
    text: `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${before}\n+${after}\n`,
  }),
  execute: () => "The file is changed.",
});

const sendMail = tool({
  name: "send_mail",
  title: "Send a mail",
  description: "Sends a mail from the company address.",
  input: {
    type: "object",
    properties: { to: text("Recipient"), subject: text("Subject"), body: text("Text") },
    required: ["to", "subject", "body"],
  } as const,
  approval: true,
  execute: () => "Sent.",
});

const uploadReport = tool({
  name: "upload_report",
  title: "Upload a report",
  description: "Uploads a file to the archive.",
  input: { type: "object", properties: { file: text("The file") }, required: ["file"] } as const,
  execute: () => {
    throw new Error("The archive refused the file: quota of 5 GB exceeded (4.98 GB used).");
  },
});

type Wanted = (step: number) => ScriptedTurn;

const step = (content: string, status: "completed" | "in_progress" | "pending") => ({ content, status });

/** What the model does, by the first words of the user. */
const scripts: Readonly<Record<string, Wanted>> = {
  Pay: (n) =>
    n === 0
      ? {
          reasoning: "I need the open invoices first.",
          text: "I read your mail first.",
          calls: [{ name: "read_mail" }],
        }
      : n === 1
        ? {
            text: "Two invoices are due. I also found **214 newsletters** that you asked me to remove.",
            calls: [
              { name: "pay_invoice", arguments: { invoice: 12, amount: 300, currency: "EUR", due: "2026-03-30" } },
              { name: "pay_invoice", arguments: { invoice: 13, amount: 80, currency: "EUR" } },
              { name: "delete_mail", arguments: { folder: "Newsletters" } },
            ],
          }
        : { text: "Everything is settled:\n\n| invoice | amount |\n|---|---|\n| 12 | 300 EUR |\n| 13 | 80 EUR |" },
  Prepare: (n) =>
    n === 0
      ? {
          text: "I change the version and remove the old build.",
          calls: [
            {
              name: "edit_file",
              arguments: { path: "package.json", old_text: '"version": "1.4.0"', new_text: '"version": "1.5.0"' },
            },
            { name: "run_command", arguments: { command: "rm -rf dist && npm run build" } },
          ],
        }
      : { text: "The release is ready." },
  Find: (n) =>
    n === 0
      ? {
          calls: [
            {
              name: "write_todos",
              arguments: {
                todos: [
                  step("Collect three offers", "completed"),
                  step("Ask the supplier about delivery", "in_progress"),
                  step("Compare prices", "pending"),
                ],
              },
            },
          ],
        }
      : n === 1
        ? {
            text: "I let the researcher contact the supplier.",
            calls: [
              {
                name: "task",
                arguments: { description: "Ask Nordholz about delivery times.", subagent_type: "researcher" },
              },
            ],
          }
        : { text: "Nordholz delivers within five days." },
  Archive: (n) =>
    n === 0
      ? { text: "I upload the weekly report.", calls: [{ name: "upload_report", arguments: { file: "week-12.pdf" } }] }
      : { text: "The archive is full, so the report is **not** uploaded. Shall I remove old reports first?" },
};

/** A server of its own for every test: scripted models count their turns. */
export function office(): Config {
  const model = scriptedModel(
    [
      ({ messages }) => {
        const said = messages.findLast(({ role }) => role === "user");
        const words = JSON.stringify(said);
        const after = said === undefined ? 0 : messages.length - 1 - messages.lastIndexOf(said);
        const steps = messages.slice(messages.length - after).filter(({ role }) => role === "assistant").length;
        const [, script] = Object.entries(scripts).find(([word]) => words.includes(word)) ?? [];
        return {
          usage: { prompt_tokens: 820 + 40 * messages.length, completion_tokens: 64 },
          delay: 240, // so that timelines have bars
          ...script?.(steps),
          ...(script === undefined && { text: "How can I help?" }),
        };
      },
    ],
    { name: "office-1", loop: true },
  );

  const researcher = {
    name: "researcher",
    description: "Contacts suppliers and reads their offers.",
    instructions: "You research suppliers.",
    model: scriptedModel(
      [
        {
          text: "I write to the supplier.",
          calls: [
            {
              name: "send_mail",
              arguments: {
                to: "sales@nordholz.example",
                subject: "Delivery times",
                body: "Good morning,\n\nhow long does the delivery of 40 oak boards take?\n\nKind regards",
              },
            },
          ],
        },
        { text: "They deliver within five days." },
      ],
      { name: "research-1", loop: true },
    ),
    tools: [sendMail],
  };

  return {
    agents: {
      office: {
        model,
        tools: [payInvoice, deleteMail, readMail, runCommand, editFile, sendMail, uploadReport],
        middleware: [todos(), subagents({ agents: [researcher], generalPurpose: false })],
      },
    },
  };
}

/** A history as a client left it: a call without a result, and a result whose call is missing. */
export const brokenHistory = {
  model: "gpt-5.1",
  messages: [
    { role: "user", content: "What is the weather in Oslo and in Bergen?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "call_a", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
        { id: "call_b", type: "function", function: { name: "weather", arguments: '{"city":"Bergen"' } },
      ],
    },
    { role: "tool", tool_call_id: "call_a", content: "4 degrees, rain" },
    { role: "user", content: "And tomorrow?" },
  ],
};

/** Fills a server of the office with threads in every state. */
export async function fillOffice(client: Client): Promise<Readonly<Record<OfficeThread, string>>> {
  const send = async (id: string, title: string, words: string): Promise<string> => {
    await client.threads.create({ id, title });
    await client.threads.send(id, words);
    return id;
  };
  return {
    bills: await send("bills", "Bills of March", "Pay the open bills and clean up my mail."),
    release: await send("release", "Release 1.5", "Prepare the release 1.5."),
    supplier: await send("supplier", "A new supplier", "Find a supplier for oak boards."),
    report: await send("report", "Weekly report", "Archive the weekly report."),
    imported: (await client.threads.import({ id: "weather", history: brokenHistory })).id,
  };
}

export type OfficeThread = "bills" | "release" | "supplier" | "report" | "imported";
