import type { JsonObject } from "#core";

import type { Format } from "./codec.ts";

/** Other fields of a message. */
type Fields = JsonObject;

interface FunctionCall {
  readonly name: string;
  readonly arguments: string;
}

/** The messages of each format, by their distinctive fields. */
export interface HistoryMessages {
  readonly "openai-chat": Fields & {
    readonly role: "system" | "developer" | "user" | "assistant" | "tool";
    readonly content?: string | readonly Fields[] | null;
    readonly tool_calls?: readonly (Fields & { readonly id: string; readonly function?: FunctionCall })[];
    readonly tool_call_id?: string;
  };
  /** An item: a message if it has a `role`, a call or an output if it has a `call_id`. */
  readonly "openai-responses": Fields & {
    readonly type?: string;
    readonly role?: "system" | "developer" | "user" | "assistant";
    readonly content?: string | readonly Fields[];
    readonly call_id?: string;
  };
  readonly anthropic: Fields & {
    readonly role: "user" | "assistant";
    readonly content: string | readonly (Fields & { readonly type: string })[];
  };
  readonly gemini: Fields & { readonly role: "user" | "model"; readonly parts: readonly Fields[] };
  readonly bedrock: Fields & { readonly role: "user" | "assistant"; readonly content: readonly Fields[] };
  readonly ollama: Fields & {
    readonly role: "system" | "user" | "assistant" | "tool";
    readonly content: string;
    readonly tool_calls?: readonly (Fields & { readonly function: Fields & { readonly name: string } })[];
  };
  readonly "ai-sdk": Fields & {
    readonly role: "system" | "user" | "assistant" | "tool";
    readonly content: string | readonly (Fields & { readonly type: string })[];
  };
  readonly langchain: Fields & {
    readonly type: "system" | "human" | "ai" | "tool";
    readonly content: string | readonly Fields[];
  };
}

/** A history in a format: the list of its messages. */
export type HistoryOf<F extends Format> = readonly HistoryMessages[F][];
