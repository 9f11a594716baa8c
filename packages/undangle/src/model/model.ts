import type { AssembledTurn, ErrorCode, Language, StreamPart, UndangleError } from "#core";
import type { Message, SystemText } from "#codecs";

/** Something that answers. Whatever it is, what comes of it was put together by `assemble`, or reads as if it were. */
export interface Model {
  /** For logs and events. */
  readonly name: string;
  /** The error of a request that would be made without a key; undefined where a key is there, or cannot be known beforehand. */
  checkKey?(): UndangleError | undefined;
  /** Asks it. It may throw, or its stream may, when the provider cannot be reached or refuses. */
  stream(request: ModelRequest): ModelStream;
}

/** What comes of a model: what `assemble` gives, and between its parts that the answer begins anew, or a word to the person. */
export interface ModelStream extends AsyncIterable<ModelPart> {
  /** The whole answer when the stream is over: of what was discarded nothing is in it. */
  turn(): Promise<AssembledTurn>;
  /** The name of the model that answers, where it may be another than the one that was asked. */
  readonly model?: string | undefined;
}

/** Something that comes of a model while it answers. */
export type ModelPart = StreamPart | Discarded | ModelWarning;

/** The model is asked in another way than was wanted, and the person is to know. */
export interface ModelWarning {
  readonly type: "warning";
  readonly message: string;
  /** The code of the error whose words are in the message: they are the provider's. */
  readonly code?: ErrorCode | undefined;
}

/** What came so far does not count: it was tried again, or another model takes over. */
export interface Discarded {
  readonly type: "discarded";
  readonly reason: string;
}

/** What a model is asked. Messages that were there before are the same objects, so that one may remember how they are written. */
export interface ModelRequest {
  readonly system: readonly SystemText[];
  /** Healthy: every call among them has its result. The seals of all providers are there; each goes to its owner only. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
  readonly toolChoice?: ModelToolChoice | undefined;
  /** False where the model is to make one call at a time. */
  readonly parallelCalls?: boolean | undefined;
  /** How the answer is drawn, where it is not as the model was made. */
  readonly sampling?: ModelSampling | undefined;
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

/** How an answer is drawn: the options of the same names of a model, for one request. */
export interface ModelSampling {
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
}
