import type { AssembledTurn, ErrorCode, JsonObject, Language, StreamPart, UndangleError } from "#core";
import type { Message, StreamFormat, SystemText } from "#codecs";

/** A model. Its stream comes from `assemble`, or has the same form. */
export interface Model {
  readonly name: string;
  /** The error of a missing key; undefined if there is a key, or if that is not known in advance. */
  checkKey?(): UndangleError | undefined;
  /** What it would send for a request. It contains no key. Absent for a model that writes no bodies. */
  write?(request: ModelRequest): WrittenRequest;
  /** The models that it chooses from. */
  readonly models?: readonly Model[];
  /** Sends a request. The call or its stream may throw if the provider cannot be reached or refuses. */
  stream(request: ModelRequest): ModelStream;
}

/** A request in the format of a model. */
export interface WrittenRequest {
  readonly format: StreamFormat;
  readonly body: JsonObject;
  readonly target?: RequestTarget | undefined;
}

/** Where a request is sent, for people who want to send it again. Its secrets are replaced by variables of a shell. */
export interface RequestTarget {
  readonly url: string;
  /** By name: `{ authorization: "Bearer $OPENAI_API_KEY" }`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The names of the variables. */
  readonly variables: readonly string[];
}

/** The stream of a model: the parts of `assemble`, and parts that discard the response so far or warn the user. */
export interface ModelStream extends AsyncIterable<ModelPart> {
  /** The complete turn after the end of the stream, without discarded parts. */
  turn(): Promise<AssembledTurn>;
  /** The model that responds, if it may differ from the requested one. */
  readonly model?: string | undefined;
}

export type ModelPart = StreamPart | Discarded | ModelWarning;

/** A change of the request that the user should know. */
export interface ModelWarning {
  readonly type: "warning";
  readonly message: string;
  /** The code of the error whose provider message is included. */
  readonly code?: ErrorCode | undefined;
}

/** Discards the parts so far: the request is repeated, or another model takes over. */
export interface Discarded {
  readonly type: "discarded";
  readonly reason: string;
}

/** A request to a model. Earlier messages are the same objects, so writers may cache them. */
export interface ModelRequest {
  /** The instructions. Models write texts with `isVolatile` last, because they may change during a conversation. */
  readonly system: readonly SystemText[];
  /**
   * A valid history: every call has its result. It contains the signatures of all providers; each is sent only to its
   * owner.
   */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
  readonly toolChoice?: ModelToolChoice | undefined;
  /** False for one call at a time. */
  readonly parallelCalls?: boolean | undefined;
  /** Sampling parameters that differ from those of the model. */
  readonly sampling?: ModelSampling | undefined;
  /** The JSON schema of the response. */
  readonly output?: JsonObject | undefined;
  /** How the prompt is cached. Each model writes it in the form of its provider. */
  readonly cache?: PromptCache | undefined;
  /** The call ids of the thread, which generated ids must avoid. */
  readonly knownIds: Iterable<string>;
  readonly language: Language;
  readonly signal: AbortSignal;
  /** Gets the texts of every attempt over HTTP when it ends. Must not throw. */
  readonly onExchange?: ((exchange: ModelExchange) => void) | undefined;
}

/** The texts of a request over HTTP and of its response, each up to 1,000,000 characters, and without keys. */
export interface ModelExchange {
  readonly model: string;
  readonly format: StreamFormat;
  readonly request: string;
  /** As received: a stream of events, or JSON. */
  readonly response: string;
  readonly target?: RequestTarget | undefined;
}

/** How the provider caches the prompt. It is the same object in all requests of a run. */
export interface PromptCache {
  /** How long the cache lasts after its last use, if the provider has a choice (default: `5m`). */
  readonly ttl?: "5m" | "1h" | undefined;
  /** Equal for requests with a common beginning, for providers that choose a server by it. */
  readonly key?: string | undefined;
  /** What happens if the provider has no setting for it (default: `ignore`). `warn`: one warning in a run. */
  readonly unsupported?: "ignore" | "warn" | "error" | undefined;
}

export interface ToolDescription {
  readonly name: string;
  readonly description: string | undefined;
  readonly schema: JsonObject;
}

export type ModelToolChoice = "auto" | "none" | "required" | { readonly tool: string };

/** Sampling parameters for one request, like the options of a model. */
export interface ModelSampling {
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
}
