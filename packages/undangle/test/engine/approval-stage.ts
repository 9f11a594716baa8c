import { createAgent, tool } from "#engine";
import type { Agent, ApprovalRule, ToolApproval } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedModel } from "#testing";

export const input = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;

/** An agent with four tools, and what came of them. */
export interface ApprovalStage {
  readonly agent: Agent;
  readonly model: ScriptedModel;
  readonly store: Store;
  /** The tools that ran, with their arguments. */
  readonly ran: string[];
}

export interface ApprovalStageOptions {
  readonly approvals?: readonly ApprovalRule[];
  /** The calls of the first turn: names, each with its place as the argument `n`. */
  readonly calls?: readonly string[];
  /** What the tools say of themselves. */
  readonly own?: Readonly<Record<string, ToolApproval>>;
  readonly store?: Store;
  readonly now?: () => number;
  readonly later?: readonly { readonly text: string }[];
}

export const names = ["pay", "delete_file", "delete_all", "look"];

export function createApprovalStage({
  approvals = [],
  calls = [],
  own = {},
  store = memoryStore(),
  now,
  later,
}: ApprovalStageOptions): ApprovalStage {
  const ran: string[] = [];
  const tools = names.map((name) =>
    tool({
      name,
      description: `Does ${name}.`,
      input,
      ...(own[name] !== undefined && { approval: own[name] }),
      execute({ n }) {
        ran.push(`${name} ${n}`);
        return `${name} ${n} done`;
      },
    }),
  );
  const model = scriptedModel([
    { calls: calls.map((name, n) => ({ name, arguments: { n } })) },
    ...(later ?? [{ text: "Done." }, { text: "Done again." }]),
  ]);
  return { agent: createAgent({ model, tools, approvals, store, now }), model, store, ran };
}
