import type { SystemText } from "#codecs";
import type { Language } from "#core";
import type { Model, ToolDescription } from "#model";
import type { Store } from "#store";

import type { GateKeeper } from "../approvals/rules.ts";
import type { Telling } from "../ledger/project.ts";
import type { Logger } from "../logger.ts";
import type { Tool, ToolContext } from "../tool.ts";
import type { ToolTable } from "../tool-table.ts";
import type { Hooks } from "../middleware/hooks.ts";
import type { Wording } from "../step/worded-messages.ts";

/** An agent with everything decided that its options leave open. */
export interface Setup {
  /** What its threads are allowed is shared by the agents of a name on one store; nothing is without one. */
  readonly name: string | undefined;
  readonly model: Model;
  readonly system: readonly SystemText[];
  readonly tools: ToolTable;
  readonly descriptions: readonly ToolDescription[];
  readonly gate: GateKeeper;
  readonly store: Store;
  readonly limits: Limits;
  readonly onInput: InputPolicy;
  readonly output: OutputSetup | undefined;
  readonly hooks: Hooks;
  /** In which words it tells of calls without a result; undefined for ours. */
  readonly wording: Wording | undefined;
  /** The names of the middleware that keep something in threads. */
  readonly stateOwners: ReadonlySet<string>;
  readonly telling: Telling;
  readonly language: Language;
  readonly logger: Logger;
  readonly now: () => number;
}

/** One start of a tool. */
export interface ToolRun {
  readonly tool: Tool;
  readonly arguments: unknown;
  readonly context: ToolContext;
}

/** What happens to a message that comes while calls are open. */
export type InputPolicy = "supersede" | "queue" | "refuse";

export const inputPolicies: readonly InputPolicy[] = ["supersede", "queue", "refuse"];

/** When a run has to end. */
export interface Limits {
  /** Answers of the model. */
  readonly steps: number;
  /** Calls that are executed. */
  readonly calls: number;
  /** Milliseconds. */
  readonly time: number;
  /** Of all answers together, as far as the model tells. */
  readonly tokens: number;
  /** Calls at the same time. */
  readonly parallel: number;
  /** Answers in a row in which no call can be executed. */
  readonly faulty: number;
  /** Characters of one result that the model gets to see. */
  readonly resultLength: number;
  /** Milliseconds for which a store that cannot be reached is waited for. */
  readonly storeWait: number;
}

export const defaultLimits: Limits = {
  steps: 50,
  calls: Infinity,
  time: Infinity,
  tokens: Infinity,
  parallel: 16,
  faulty: 3,
  resultLength: 400_000,
  storeWait: 30_000,
};

/** The answer that a run has to end with. */
export interface OutputSetup {
  /** The tool by which the model gives it. */
  readonly tool: Tool;
}
