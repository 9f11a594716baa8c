/** Something in a stream that is not as it should be, and was dealt with. */
export interface Anomaly {
  readonly kind: AnomalyKind;
  /** What it was, and what was made of it. */
  readonly message: string;
  /** The number of the call that it concerns. */
  readonly call?: number;
  /** The frame in which it was first seen, counted from 0. */
  readonly frame?: number;
}

export type AnomalyKind = keyof typeof anomalies;

/** Every kind, with the sentence that says what was made of it. */
export const anomalies = {
  "id-missing": "The provider gave the call no id: one was generated.",
  "id-late": "The id of the call came after its first delta.",
  "id-changed": "The id of the call changed while it was streamed: the first one counts.",
  "id-repeated": "Two calls had the same id: the later one has a generated one.",
  "id-not-text": "The id of the call was not a text: it was made one.",
  "index-missing": "The call had no index: its deltas were told apart by ids, names and order.",
  "index-reused": "Two calls had the same index: they were told apart by their ids and names.",
  "index-odd": "The indexes of the calls do not count from 0.",
  "name-late": "The name of the call came after its first delta.",
  "name-repeated": "The name of the call came more than once.",
  "name-split": "The name of the call came in several pieces.",
  "name-decorated": "The name of the call had something around it that no tool name has.",
  "name-missing": "The call never got a name.",
  "phantom-call": "An entry without a name and without arguments was dropped.",
  "arguments-object": "The arguments came as an object and not as text.",
  "arguments-blank": "The arguments were blank and count as {}.",
  "arguments-placeholder": "An empty object came before the arguments.",
  "arguments-cumulative": "Every delta repeated the arguments from their beginning.",
  "arguments-resent": "The arguments came a second time.",
  "arguments-encoded": "The arguments were a JSON text inside a JSON text.",
  "arguments-repaired": "The arguments were almost JSON and were read with leniency.",
  "arguments-malformed": "The arguments are not a JSON object: the call must not be executed.",
  "arguments-truncated": "The arguments are cut off: the call must not be executed.",
  "choices-folded": "The index of the choice grew with every chunk: they were read as one.",
  "finish-contradicts": "The reason for the end does not fit what was streamed.",
  "finish-repeated": "The stream gave more than one reason for its end.",
  "finish-missing": "The stream gave no reason for its end.",
  "finish-unknown": "The reason for the end is not one that is known.",
  "after-finish": "More came after the reason for the end.",
  "legacy-function-call": "The call came in the old form function_call.",
  "frame-not-json": "A frame was not JSON and was left out.",
  "frame-unknown": "A frame was none of this format and was left out.",
  "whole-body": "The answer was one JSON body and not a stream.",
  "leaked-call": "The call was written as text and was recovered.",
  "server-tool": "A tool that the provider runs itself was left out of the calls.",
  "stream-error": "The provider reported an error inside the stream.",
  "stream-cut": "The stream ended before the turn did.",
} as const satisfies Readonly<Record<string, string>>;
