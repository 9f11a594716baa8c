/** A bank whose every transfer needs a decision, for tests of the card and the inbox. */
import { tool } from "undangle/agent";
import type { ScriptedTurn } from "undangle/testing";

import type { Locator, Page } from "playwright-core";

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

/**
 * Presses a button that decides, as a person does: after it has come into view, and again if nothing happened, because
 * a button that has just moved is inactive. It disappears with the decision.
 */
export async function press(button: Locator, how: "click" | "tap" = "click"): Promise<void> {
  for (let attempt = 0; attempt < 4; attempt++) {
    await button.scrollIntoViewIfNeeded();
    await button.page().waitForTimeout(500);
    await button[how]();
    const isGone = button.waitFor({ state: "detached", timeout: 1_500 }).then(
      () => true,
      () => false,
    );
    if (await isGone) return;
  }
  throw new Error("The button is still there after four presses.");
}

export const threeCalls = () => [
  { name: "transfer", arguments: { to: "Ann", amount: 250, currency: "EUR" } },
  { name: "transfer", arguments: { to: "Bob", amount: 99, currency: "EUR" } },
  { name: "transfer", arguments: { to: "Cy", amount: 7000, currency: "EUR" } },
];

/** The card of a pending call. */
export const cardOf = (page: Page, id: string) =>
  page.getByRole("region", { name: new RegExp(`Pending call .*\\(${id}\\)`, "u") });
