import type { Anomaly } from "./anomalies.ts";
import type { Seal } from "./seal.ts";

/** How a turn ended; null when the stream broke off before it said so, or its one call could not be read. */
export type Finish = "stop" | "tool_calls" | "length" | "content_filter" | "error" | null;

/** One call as a stream gave it. */
export interface AssembledCall {
  readonly id: string;
  readonly name: string;
  /** Null when they are cut off or not JSON: such a call is never executed. */
  readonly arguments: Readonly<Record<string, unknown>> | null;
  /** The text of the arguments as it came, for display and for the history. */
  readonly raw: string;
  /** `repaired`: the arguments were almost JSON and `lenientArguments` was given. */
  readonly state: "ready" | "truncated" | "malformed" | "repaired";
  /** The provider gave no id, or one that another call has. */
  readonly idGenerated: boolean;
  /** A thought signature, or the id under which the provider keeps the call. */
  readonly seal?: Seal;
  /** What else only this format has on a call. */
  readonly extras?: Readonly<Record<string, unknown>>;
}

/** A piece of what the model said, in its order. */
export type TurnPart =
  | { readonly type: "text"; readonly text: string; readonly seal?: Seal }
  | TurnReasoning
  | TurnMedia
  | { readonly type: "call"; readonly call: AssembledCall };

/** What the model thought, with what its provider asks for when it is sent back. */
export interface TurnReasoning {
  readonly type: "reasoning";
  readonly text: string;
  readonly seal?: Seal;
  /** There is nothing to read in it: the seal is all of it. */
  readonly isRedacted?: boolean;
}

/** A picture, a sound or a file that the model made. */
export interface TurnMedia {
  readonly type: "media";
  readonly kind: "image" | "audio" | "video" | "file";
  readonly mediaType: string | undefined;
  /** As base64. */
  readonly source: { readonly type: "bytes"; readonly data: string };
  readonly seal?: Seal;
}

/** Everything that a stream said. */
export interface AssembledTurn {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly AssembledCall[];
  /** Text, reasoning, media and calls in the order in which they began. */
  readonly parts: readonly TurnPart[];
  readonly finish: Finish;
  /** False: what was received is all there is, and nothing of it may be executed. */
  readonly complete: boolean;
  readonly anomalies: readonly Anomaly[];
  /** As the provider gave it. */
  readonly usage: Readonly<Record<string, unknown>> | undefined;
  readonly error?: StreamFault;
}

/** What there is when nothing has come. */
export const emptyTurn: AssembledTurn = {
  text: "",
  reasoning: "",
  calls: [],
  parts: [],
  finish: null,
  complete: false,
  anomalies: [],
  usage: undefined,
};

/** What went wrong, in the words of the provider or of the connection. */
export interface StreamFault {
  readonly message: string;
  /** `provider`: an error inside the stream; `connection`: the source threw or was aborted. */
  readonly from: "provider" | "connection";
  readonly code?: string;
}

/** What happens while a stream is read. Calls are told apart by `call`, a number that is theirs in the whole stream. */
export type StreamPart =
  | { readonly type: "text-delta"; readonly choice: number; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly choice: number; readonly text: string }
  | {
      readonly type: "call-start";
      readonly choice: number;
      readonly call: number;
      /** Undefined while the provider has not given one. */
      readonly id: string | undefined;
      readonly name: string;
    }
  | {
      readonly type: "call-delta";
      readonly choice: number;
      readonly call: number;
      /** More text of the arguments, as it came. */
      readonly text: string;
      /** What the arguments say so far, for display only; it grows with the call. */
      readonly preview: () => unknown;
    }
  | { readonly type: "call-end"; readonly choice: number; readonly call: number; readonly result: AssembledCall }
  | { readonly type: "anomaly"; readonly choice: number; readonly anomaly: Anomaly }
  | { readonly type: "finish"; readonly choice: number; readonly turn: AssembledTurn };
