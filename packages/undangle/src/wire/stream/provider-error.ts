import type { Frame, ReadFrame, StreamDialect } from "#codecs";
import { isRecord } from "#core";

import type { OutputBuffer } from "./output-buffer.ts";

/** An error that the provider reports in a stream. It passes, and the calls of its turn do not. */
export interface ProviderError {
  /** Takes the selected event, which reports the error or follows it. */
  readonly take: (read: readonly ReadFrame[], isCanonical: boolean) => void;
  /** The body has to end in an error: clients of the format do not see the reported one, or it came with a call. */
  readonly mustBreak: () => boolean;
  /**
   * Clients read on: in the chat format, usage may follow a finish reason. After other errors SDKs read nothing, and some keep a
   * connection open that the server does not close.
   */
  readonly mayContinue: () => boolean;
}

interface ProviderErrorOptions {
  readonly dialect: StreamDialect;
  readonly output: Pick<OutputBuffer, "pass" | "restore" | "write">;
  readonly serialize: (frame: Frame) => string;
  /** Writes what has to precede the error. */
  readonly before: () => void;
}

export function createProviderError({ dialect, output, serialize, before }: ProviderErrorOptions): ProviderError {
  let isKnown = false;
  let mustBreak = false;
  let mayContinue = false;

  const pass = (read: readonly ReadFrame[], isCanonical: boolean): void => {
    const frames = read.map(({ value, event }) => ({
      value,
      event: isRecord(value) && value["type"] === "error" ? (dialect.errorEvent ?? event) : event,
    }));
    if (read.length === 0) output.restore(); // else the event has the end that the server omitted
    if (read.length === 0 || (isCanonical && frames.every(({ event }, i) => event === read[i]?.event))) output.pass();
    else for (const { value, event } of frames) if (isRecord(value)) output.write(serialize({ value, event }));
  };

  return {
    take(read, isCanonical) {
      const hasCall = read.some((frame) => frame.hasCall);
      if (!isKnown) {
        before();
        const isFinishReason = read.some((frame) => frame.hasEnd && !isInChoice(frame));
        mayContinue = isFinishReason && dialect.readsAfterError;
        mustBreak = hasCall || !(isFinishReason || isVisible(read, dialect));
      } else if (read.some(isError)) mayContinue = false; // an error after the finish reason
      isKnown = true;
      if (!hasCall) pass(read, isCanonical);
    },
    mustBreak: () => mustBreak,
    mayContinue: () => mayContinue,
  };
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
