import type { ReadFrame, StreamDialect } from "#codecs";
import { isRecord } from "#core";

import type { StreamRepair } from "./perform.ts";
import type { ErrorEvent } from "./state.ts";

/** What an event shows about the error that it reports, or that was reported before it. */
export const errorEvent = (read: readonly ReadFrame[], isCanonical: boolean, dialect: StreamDialect): ErrorEvent => ({
  type: "error",
  read,
  isCanonical,
  hasCall: read.some(({ hasCall }) => hasCall),
  isError: read.some(isError),
  isFinishReason: read.some((frame) => frame.hasEnd && !isInChoice(frame)),
  isVisible: isVisible(read, dialect),
});

/** Passes the selected event with an error. Gives the texts to write instead if clients would not recognise it as it arrived. */
export function passError(
  { output, writer, dialect }: StreamRepair,
  { read, isCanonical }: ErrorEvent,
): readonly string[] {
  const frames = read.map(({ value, event }) => ({
    value,
    event: isRecord(value) && value["type"] === "error" ? (dialect.errorEvent ?? event) : event,
  }));
  if (read.length === 0) output.restore(); // else the event has the end that the server omitted
  if (read.length === 0 || (isCanonical && frames.every(({ event }, i) => event === read[i]?.event))) {
    output.pass();
    return [];
  }
  return frames.flatMap(({ value, event }) => (isRecord(value) ? [writer.serialize({ value, event })] : []));
}

const isError = ({ value, hasEnd }: ReadFrame): boolean =>
  !hasEnd && isRecord(value) && (Boolean(value["error"]) || value["type"] === "error");

/** True for an error inside of a choice, where no client looks for it. */
const isInChoice = ({ value }: ReadFrame): boolean =>
  isRecord(value) &&
  Array.isArray(value["choices"]) &&
  value["choices"].some((choice) => isRecord(choice) && choice["error"]);

/** True if clients recognise the error. An event without frames is one named `error` that is not JSON. */
const isVisible = (read: readonly ReadFrame[], { isVisibleError }: StreamDialect): boolean =>
  read.length === 0 ? isVisibleError(undefined) : read.some(({ value }) => isRecord(value) && isVisibleError(value));
