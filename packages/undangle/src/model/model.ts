import type { AssembledStream, Message, SystemText } from "#codecs";
import type { Language } from "#core";

/** Something that answers. Whatever it is, what comes of it was put together by `assemble`, or reads as if it were. */
export interface Model {
  /** For logs and events. */
  readonly name: string;
  /** Asks it. It may throw, or its stream may, when the provider cannot be reached or refuses. */
  stream(request: ModelRequest): AssembledStream;
}

/** What a model is asked. Messages that were there before are the same objects, so that one may remember how they are written. */
export interface ModelRequest {
  readonly system: readonly SystemText[];
  /** Healthy: every call among them has its result. The seals of all providers are there; each goes to its owner only. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
  readonly toolChoice?: ModelToolChoice | undefined;
  /** The answer is to be JSON of this schema. */
  readonly output?: Readonly<Record<string, unknown>> | undefined;
  /** The ids of calls that the thread knows: an id that is made must not be one of them. */
  readonly knownIds: Iterable<string>;
  readonly language: Language;
  readonly signal: AbortSignal;
}

export interface ToolDescription {
  readonly name: string;
  readonly description: string | undefined;
  /** The JSON schema of the arguments. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export type ModelToolChoice = "auto" | "none" | "required" | { readonly tool: string };
