import type { JsonObject } from "../json.ts";
import type { Anomaly } from "./anomalies.ts";

/** The finish reason of a turn. Null if the stream broke off before it, or if the only call could not be read. */
export type Finish = "stop" | "tool_calls" | "length" | "content_filter" | "error" | null;

/** A call as assembled from a stream. */
export interface AssembledCall {
  readonly id: string;
  readonly name: string;
  /** Null if they are truncated or not JSON. Such a call is never executed. */
  readonly arguments: JsonObject | null;
  /** The received text of the arguments, for display and for the history. */
  readonly raw: string;
  /** `repaired`: the arguments were almost JSON, and `lenientArguments` was set. */
  readonly state: "ready" | "truncated" | "malformed" | "repaired";
  /** True if the provider sent no id, or the id of another call. */
  readonly idGenerated: boolean;
  /** A thought signature, or the id under which the provider stores the call. */
  readonly seal?: Seal;
  /** Other fields of the call that only this format has. */
  readonly extras?: JsonObject;
}

/** A part of the turn, in order. */
export type TurnPart =
  | { readonly type: "text"; readonly text: string; readonly seal?: Seal }
  | TurnReasoning
  | TurnMedia
  | { readonly type: "call"; readonly call: AssembledCall };

/** Reasoning, with the signature that its provider requires when it is sent back. */
export interface TurnReasoning {
  readonly type: "reasoning";
  readonly text: string;
  readonly seal?: Seal;
  /** True if there is no readable text, only a signature. */
  readonly isRedacted?: boolean;
}

/** An image, audio or a file that the model generated. */
export interface TurnMedia {
  readonly type: "media";
  readonly kind: "image" | "audio" | "video" | "file";
  readonly mediaType: string | undefined;
  /** Base64 data. */
  readonly source: { readonly type: "bytes"; readonly data: string };
  readonly seal?: Seal;
}

/** The assembled content of a stream. */
export interface AssembledTurn {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly AssembledCall[];
  /** Text, reasoning, media and calls in order of their start. */
  readonly parts: readonly TurnPart[];
  readonly finish: Finish;
  /** False if the stream is incomplete. Then no call may be executed. */
  readonly complete: boolean;
  readonly anomalies: readonly Anomaly[];
  /** The usage as the provider sent it. */
  readonly usage: JsonObject | undefined;
  readonly error?: StreamFault;
}

/** The turn of a stream without content. */
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

/** An error, in the words of the provider or of the connection. */
export interface StreamFault {
  readonly message: string;
  /** `provider`: an error inside the stream; `connection`: the source threw or was aborted. */
  readonly from: "provider" | "connection";
  readonly code?: string;
}

/** A part of a stream as it is read. `call` identifies a call by a number that is unique in the stream. */
export type StreamPart =
  | { readonly type: "text-delta"; readonly choice: number; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly choice: number; readonly text: string }
  | {
      readonly type: "call-start";
      readonly choice: number;
      readonly call: number;
      /** Undefined until the provider sends one. */
      readonly id: string | undefined;
      readonly name: string;
    }
  | {
      readonly type: "call-delta";
      readonly choice: number;
      readonly call: number;
      /** A delta of the arguments, as received. */
      readonly text: string;
      /** The partial value of the arguments, for display only. It grows with the call. */
      readonly preview: () => unknown;
    }
  | { readonly type: "call-end"; readonly choice: number; readonly call: number; readonly result: AssembledCall }
  | { readonly type: "anomaly"; readonly choice: number; readonly anomaly: Anomaly }
  | { readonly type: "finish"; readonly choice: number; readonly turn: AssembledTurn };

/**
 * A signature or encrypted content with which a provider verifies output of its model. Only the provider can read it.
 */
export interface Seal {
  readonly owner: Owner;
  /** Empty if there is only an id or a phase. */
  readonly value: string;
  /** The id under which the provider stores it. */
  readonly id?: string;
  /** The server that created it, if several servers use the provider's format. No other server accepts it. */
  readonly server?: string;
  /** OpenAI's message phase, which must be sent back unchanged. */
  readonly phase?: string;
}

/** The provider whose servers created a signature. No other provider can read it. */
export type Owner = "openai" | "anthropic" | "gemini" | "openrouter";
