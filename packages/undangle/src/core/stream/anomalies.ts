/** Something unusual in a stream that was handled. */
export interface Anomaly {
  readonly kind: AnomalyKind;
  /** The event and how it was handled. */
  readonly message: string;
  /** The number of its call. */
  readonly call?: number;
  /** The first frame with it, counted from 0. */
  readonly frame?: number;
}

export type AnomalyKind = keyof typeof anomalies;

/** Every kind with its message. */
export const anomalies = {
  "id-missing": "The call had no id, so one was generated.",
  "id-late": "The call's id came after its first delta.",
  "id-changed": "The call's id changed during the stream; the first id is used.",
  "id-repeated": "Two calls had the same id; the later call got a generated id.",
  "id-not-text": "The call's id was not a string; it was converted.",
  "index-missing": "The call had no index; its deltas were matched by id, name and order.",
  "index-reused": "Two calls had the same index; they were separated by id and name.",
  "index-odd": "The call indexes do not count up from 0.",
  "name-late": "The call's name came after its first delta.",
  "name-repeated": "The call's name was sent more than once.",
  "name-split": "The call's name was split over several deltas.",
  "name-decorated": "The call's name had extra characters that no tool name contains.",
  "name-not-text": "The call's name was a number; it was converted.",
  "name-missing": "The call never got a name.",
  "call-unreadable": "A call, or a part of one, could not be read; do not execute the calls that may lack it.",
  "phantom-call": "An entry without a name and without arguments was dropped.",
  "arguments-object": "The arguments were sent as an object instead of a string.",
  "arguments-blank": "The arguments were blank and were read as {}.",
  "arguments-placeholder": "An empty object came before the arguments.",
  "arguments-cumulative": "Every delta repeated the arguments from their beginning.",
  "arguments-resent": "The arguments were sent twice.",
  "arguments-encoded": "The arguments were JSON encoded twice.",
  "arguments-repaired": "The arguments were almost valid JSON and were parsed leniently.",
  "arguments-malformed": "The arguments are not a JSON object; do not execute the call.",
  "arguments-truncated": "The arguments are truncated; do not execute the call.",
  "choices-folded": "The choice index grew with every chunk; all chunks were read as one choice.",
  "finish-contradicts": "The finish reason does not match the streamed content.",
  "finish-repeated": "The stream has more than one finish reason.",
  "finish-missing": "The stream has no finish reason.",
  "finish-unknown": "The finish reason is unknown.",
  "after-finish": "The stream continued after the finish reason.",
  "legacy-function-call": "The call used the legacy field function_call.",
  "frame-not-json": "Ignored an event that is not JSON.",
  "frame-unknown": "Ignored an event that does not belong to this format.",
  "whole-body": "The response was one JSON body instead of a stream.",
  "leaked-call": "The call was written as text and was recovered.",
  "server-tool": "A tool that the provider runs itself is not listed among the calls.",
  "stream-error": "The provider reported an error inside the stream.",
  "stream-cut": "The stream ended before the turn did.",
} as const satisfies Readonly<Record<string, string>>;
