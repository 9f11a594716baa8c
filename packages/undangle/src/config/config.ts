import type { Language } from "#core";
import type { AgentOptions, AnyTool, ApprovalRule, ToolSource } from "#engine";
import type { Model } from "#model";
import type { Store } from "#store";

/** The content of `undangle.config.ts`: agents, personas, tools, models and the store. */
export interface Config {
  /** By name, for `--agent`. */
  readonly agents?: Readonly<Record<string, AgentConfig>> | undefined;
  readonly personas?: readonly PersonaConfig[] | undefined;
  /** Agents and personas may refer to them by name. Without `tools`, they get all of them. */
  readonly tools?: readonly (AnyTool | ToolSource)[] | undefined;
  /** Aliases of models. */
  readonly models?: Readonly<Record<string, Model | string>> | undefined;
  /** A store, a path, `"memory"`, `"sqlite:PATH"`, `"postgres://…"`, or a function that opens one. */
  readonly store?: Store | string | (() => Store | Promise<Store>) | undefined;
  /** The default agent or persona; otherwise the first. */
  readonly agent?: string | undefined;
  readonly language?: Language | undefined;
  /** Settings of `undangle serve` and `createServer`; their own options take precedence. */
  readonly server?: ServerConfig | undefined;
}

/** The settings of a server: access and limits. */
export interface ServerConfig {
  /** Host names that are accepted without a key, besides those of the loopback interface. */
  readonly hosts?: readonly string[] | undefined;
  /** Origins whose pages may use it, such as `https://app.example.com`. */
  readonly origins?: readonly string[] | undefined;
  /** Called when a thread starts to wait for a decision; `secret` signs the request. */
  readonly webhook?: { readonly url: string; readonly secret?: string | undefined } | undefined;
  readonly limits?: { readonly [Name in keyof ServerLimits]?: ServerLimits[Name] | undefined } | undefined;
  /** The time zone of the tool `gettime` without an argument (default: the system time zone). */
  readonly timeZone?: string | undefined;
  /**
   * Records the requests that models receive and their responses, without keys, for callers with the scope `admin`
   * (default: false).
   */
  readonly record?: boolean | undefined;
  /** What models cost, for the timeline. Without it no costs are shown. */
  readonly prices?: ServerPrices | undefined;
  /** After how many days the server removes threads permanently; `false` keeps them. */
  readonly keep?:
    | {
        /** Threads that chat requests without `thread_id` created, counted from their last change; 30 by default. */
        readonly chats?: number | false | undefined;
        /** Threads that are marked as deleted, counted from their deletion; 30 by default. */
        readonly deleted?: number | false | undefined;
      }
    | undefined;
  /** The web page at `/` (default: true). A text is the folder of another build of it. */
  readonly studio?: boolean | string | undefined;
}

export interface ServerPrices {
  /** An ISO 4217 code; `USD` by default. */
  readonly currency?: string | undefined;
  /** By the name of the model in the timeline, such as `openai/gpt-5.1`. */
  readonly models: Readonly<Record<string, ModelPrice>>;
}

/** The price of a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Of input tokens that were read from the cache of the provider; `input` by default. */
  readonly cached?: number | undefined;
}

export interface ServerLimits {
  /** The size of a request body, in bytes. */
  readonly body: number;
  /** Milliseconds to receive a request. */
  readonly requestTime: number;
  /** Concurrent connections. */
  readonly connections: number;
  /** Requests per minute, for each key or address. */
  readonly rate: number;
  /** Concurrent runs of the server. */
  readonly runs: number;
  /**
   * The longest acceptable iteration of the event loop, in milliseconds. While iterations take longer, part of the
   * requests is refused.
   */
  readonly turn: number;
}

/** The options of `createAgent`. Models and tools may be names, and the store is that of the file. */
export interface AgentConfig extends Omit<AgentOptions, "model" | "tools" | "store" | "logger" | "now"> {
  /** By default that of `--model` or `UNDANGLE_MODEL`, else the demo model. */
  readonly model?: Model | string | undefined;
  readonly tools?: readonly (AnyTool | ToolSource | string)[] | undefined;
}

/** An agent with an id, defined by its instructions. */
export interface PersonaConfig {
  readonly id: string;
  /** The display name. */
  readonly name: string;
  readonly instructions: string;
  readonly model?: Model | string | undefined;
  readonly tools?: readonly (AnyTool | ToolSource | string)[] | undefined;
  readonly approvals?: readonly ApprovalRule[] | undefined;
  readonly language?: Language | undefined;
}

/** The same config, typed for the editor. */
export const defineConfig = (config: Config): Config => config;
