/** A bank whose every transfer needs a decision, for tests of the card and the inbox. */
import { tool } from "undangle/agent";
import type { ScriptedTurn } from "undangle/testing";

import { openStudio } from "./browser.ts";
import type { Stage, Studio } from "./browser.ts";

export interface Transfer {
  readonly to: string;
  readonly amount: number;
  readonly currency?: "EUR" | "USD";
}

export interface Bank extends Studio {
  /** The transfers that ran, in their order. */
  readonly ran: readonly Transfer[];
  /** Creates a thread and sends a message. Its calls wait when this resolves. */
  readonly wait: (id: string, words?: string) => Promise<void>;
}

export interface BankOptions extends Pick<Stage, "options"> {
  /** What the model writes for a message of the user, before it says "Done." */
  readonly calls?: (words: string) => ScriptedTurn["calls"];
  readonly expiresAfter?: number;
}

const oneTransfer = (): ScriptedTurn["calls"] => [
  { name: "transfer", arguments: { to: "Ann", amount: 250, currency: "EUR" } },
];

export async function openBank({ calls = oneTransfer, expiresAfter, options = {} }: BankOptions = {}): Promise<Bank> {
  const ran: Transfer[] = [];
  const transfer = tool({
    name: "transfer",
    title: "Transfer money",
    description: "Sends money from the company account.",
    input: {
      type: "object",
      properties: {
        to: { type: "string", title: "Recipient" },
        amount: { type: "number", title: "Amount", exclusiveMinimum: 0 },
        currency: { enum: ["EUR", "USD"], title: "Currency" },
      },
      required: ["to", "amount"],
      additionalProperties: false,
    } as const,
    approval: { ...(expiresAfter !== undefined && { expiresAfter }) },
    execute(args) {
      ran.push(args);
      return `${args.amount} sent to ${args.to}.`;
    },
  });
  const wipe = tool({
    name: "wipe",
    title: "Wipe the disk",
    description: "Deletes everything.",
    input: { type: "object", properties: { disk: { type: "string" } } } as const,
    annotations: { destructive: true },
    approval: true,
    execute: ({ disk = "" }) => {
      ran.push({ to: disk, amount: 0 });
      return "Wiped.";
    },
  });
  const look = tool({
    name: "look",
    description: "Reads the balance.",
    annotations: { readOnly: true },
    execute: () => "The balance is 1,000 EUR.",
  });
  const studio = await openStudio({
    turns: [
      ({ messages }) => {
        const last = messages.at(-1);
        return last?.role === "user" ? { calls: calls(JSON.stringify(last)) ?? [] } : { text: "Done." };
      },
    ],
    agent: { tools: [transfer, wipe, look] },
    options,
  });
  return {
    ...studio,
    ran,
    async wait(id, words = "Please send the money.") {
      await studio.client.threads.create({ id, title: `Thread ${id}` });
      await studio.client.threads.send(id, words);
    },
  };
}
