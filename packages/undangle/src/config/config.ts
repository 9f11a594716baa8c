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
  /** How `undangle serve` and `createServer` serve; their own options win. */
  readonly server?: ServerConfig | undefined;
}

/** How a server serves: who may use it, and how much of it. */
export interface ServerConfig {
  /** Host names under which it may be requested without a key, besides those of the loopback. */
  readonly hosts?: readonly string[] | undefined;
  /** Origins whose pages may use it, such as `https://app.example.com`. */
  readonly origins?: readonly string[] | undefined;
  /** Called when a thread starts to wait for a decision; `secret` signs the request. */
  readonly webhook?: { readonly url: string; readonly secret?: string | undefined } | undefined;
  readonly limits?: { readonly [Name in keyof ServerLimits]?: ServerLimits[Name] | undefined } | undefined;
  /** The time zone of the tool `gettime` where a call names none; left out, that of the machine. */
  readonly timeZone?: string | undefined;
  /** After how many days the server removes threads permanently; `false` keeps them. */
  readonly keep?:
    | {
        /** Threads that chat requests without `thread_id` created, counted from their last change; 30 by default. */
        readonly chats?: number | false | undefined;
        /** Threads that are marked as deleted, counted from their deletion; 30 by default. */
        readonly deleted?: number | false | undefined;
      }
    | undefined;
}

export interface ServerLimits {
  /** Bytes of a request. */
  readonly body: number;
  /** Milliseconds in which a request has to be sent. */
  readonly requestTime: number;
  /** Connections at a time. */
  readonly connections: number;
  /** Requests a minute, of one key or address. */
  readonly rate: number;
  /** Runs at a time, of the whole server. */
  readonly runs: number;
  /** Milliseconds that a turn of the event loop may last; while turns last longer, a part of the requests is refused. */
  readonly turn: number;
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
