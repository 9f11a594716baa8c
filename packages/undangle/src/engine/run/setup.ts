import type { SystemText } from "#codecs";
import type { Language } from "#core";
import type { Model, ToolDescription } from "#model";
import type { Store } from "#store";

import type { StateAllowance } from "../approvals/allowances.ts";
import type { Denier, GateKeeper } from "../approvals/rules.ts";
import type { ChildThreads } from "../children/child-thread.ts";
import type { Projection } from "../ledger/project.ts";
import type { Logger } from "../logger.ts";
import type { Hooks } from "../middleware/hooks.ts";
import type { Middleware } from "../middleware/middleware.ts";
import type { Tool } from "../tool.ts";
import type { ToolTable } from "../toolbox.ts";
import type { Limits } from "./limits.ts";
import type { Wording } from "./notice-texts.ts";
import type { RunMode } from "./run-mode.ts";

/** An agent's options with all defaults applied. */
export interface Setup {
  /** Agents with the same name on one store share allowances. Without a name, nothing is shared. */
  readonly name: string | undefined;
  readonly model: Model;
  readonly system: readonly SystemText[];
  readonly tools: ToolTable;
  readonly descriptions: readonly ToolDescription[];
  readonly gate: GateKeeper;
  /** Undefined if no rule denies calls. */
  readonly deny: Denier | undefined;
  readonly store: Store;
  readonly limits: Limits;
  readonly onInput: InputPolicy;
  /** The mode of runs without a mode of their own. `read-only` is the mode of every run. */
  readonly mode: RunMode;
  readonly output: OutputSetup | undefined;
  readonly middleware: readonly Middleware[];
  readonly hooks: Hooks;
  readonly children: ChildThreads;
  /** The wording of notices. Undefined for the default. */
  readonly wording: Wording | undefined;
  /** The names of middleware that store state in threads. */
  readonly stateOwners: ReadonlySet<string>;
  /** How middleware allow calls without a decision. */
  readonly allowing: readonly StateAllowance[];
  readonly projection: Projection;
  readonly language: Language;
  readonly logger: Logger;
  readonly now: () => number;
}

/** What happens to a message that arrives while calls are open. */
export type InputPolicy = "supersede" | "queue" | "refuse";

export const inputPolicies: readonly InputPolicy[] = ["supersede", "queue", "refuse"];

/** The structured output that a run must end with. */
export interface OutputSetup {
  /** The tool with which the model returns it. */
  readonly tool: Tool;
}
