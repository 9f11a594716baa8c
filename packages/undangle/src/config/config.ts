import type { Language } from "#core";
import type { AgentOptions, AnyTool, ApprovalRule, ToolSource } from "#engine";
import type { Model } from "#model";
import type { Store } from "#store";

/** What `undangle.config.ts` describes: agents, personas, tools, models and where threads are kept. */
export interface Config {
  /** By their names, which `--agent` takes. */
  readonly agents?: Readonly<Record<string, AgentConfig>> | undefined;
  readonly personas?: readonly PersonaConfig[] | undefined;
  /** Agents and personas may name them; one that says nothing of tools has all of them. */
  readonly tools?: readonly (AnyTool | ToolSource)[] | undefined;
  /** Names of one's own for models. */
  readonly models?: Readonly<Record<string, Model | string>> | undefined;
  /** A store, a path, `"memory"`, `"sqlite:PATH"`, `"postgres://…"`, or what opens one. */
  readonly store?: Store | string | (() => Store | Promise<Store>) | undefined;
  /** The agent, or the persona, that is taken when none is named; left out, the first. */
  readonly agent?: string | undefined;
  readonly language?: Language | undefined;
}

/** The options of `createAgent`, but that models and tools may be names, and that the store is that of the whole file. */
export interface AgentConfig extends Omit<AgentOptions, "model" | "tools" | "store" | "logger" | "now"> {
  /** Left out, that of `--model` or `UNDANGLE_MODEL`, else the demo model. */
  readonly model?: Model | string | undefined;
  readonly tools?: readonly (AnyTool | ToolSource | string)[] | undefined;
}

/** An agent that is known by an id, and described by its instructions. */
export interface PersonaConfig {
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly instructions: string;
  readonly model?: Model | string | undefined;
  readonly tools?: readonly (AnyTool | ToolSource | string)[] | undefined;
  readonly approvals?: readonly ApprovalRule[] | undefined;
  readonly language?: Language | undefined;
}

/** The same config, with its type known to the editor. */
export const defineConfig = (config: Config): Config => config;
