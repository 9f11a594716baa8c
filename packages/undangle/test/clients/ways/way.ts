import type { ClientOptions } from "@anthropic-ai/sdk";
import type { ScriptedTurn, WireFormat } from "undangle/testing";

/** What the model answers, and what comes of it in the end. */
export interface Script {
  readonly turns: readonly ScriptedTurn[];
  readonly outcome: unknown;
}

/** One of the ways in which an SDK asks a model. */
export interface Way {
  readonly name: string;
  readonly format: WireFormat;
  readonly script: Script;
  /** Asks with a history that has a call in it, with or without its result. */
  readonly ask: (line: WayLine, isAnswered: boolean) => Promise<unknown>;
}

/** Where requests go, and what is in the way. */
export interface WayLine {
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  /** Anthropic's SDK has another place for it than `fetch`. */
  readonly middleware?: NonNullable<ClientOptions["middleware"]>;
}

export const said: Script = { turns: [{ text: "Sunny." }], outcome: "Sunny." };

export const structured: Script = { turns: [{ text: '{"sky":"clear"}' }], outcome: { sky: "clear" } };

const call = { text: "Let me look.", calls: [{ name: "get_weather", arguments: { city: "Rome" } }] };

/** A tool is called before something is said. */
export const looped: Script = { turns: [call, ...said.turns], outcome: said.outcome };

export const toolName = "get_weather";

export const parameters = { type: "object" as const, properties: { city: { type: "string" as const } } };

/** The schema of what is said in a structured answer. */
export const sky = {
  type: "object" as const,
  properties: { sky: { type: "string" as const } },
  required: ["sky"],
  additionalProperties: false as const,
};
