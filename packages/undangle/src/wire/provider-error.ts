import type { ReadFrame, SentFrame, StreamFormat } from "#codecs";
import { isRecord } from "#core";

import type { Passage } from "./passage.ts";

/** An error that the provider reports in a stream: it passes, and the calls of its turn do not. */
export interface ProviderError {
  /** Takes the piece that is looked at, which reports the error or comes behind it. */
  readonly take: (read: readonly ReadFrame[], isWhole: boolean) => void;
  /** The body has to break off: clients of the format do not see the error, or it came together with a call. */
  readonly mustBreak: () => boolean;
  /**
   * More may follow that clients look for: usage behind a reason for the end, in chat. Behind other errors SDKs look for
   * nothing, and some leave a connection open that the server does not close.
   */
  readonly goesOn: () => boolean;
}

interface Surroundings {
  readonly format: StreamFormat;
  readonly passage: Passage;
  readonly textOf: (frame: SentFrame) => string;
  /** Says what has to be said before the error. */
  readonly before: () => void;
}

export function createProviderError({ format, passage, textOf, before }: Surroundings): ProviderError {
  let isKnown = false;
  let mustBreak = false;
  let goesOn = false;

  /** Passes a piece, or what it says where not all clients would read it. */
  const pass = (read: readonly ReadFrame[], isWhole: boolean): void => {
    const frames = read.map(({ value, event }) => ({ value, event: nameOf(value, format) ?? event }));
    if (read.length === 0) passage.undo(); // else the end of the event is there, which the server has forgotten
    if (read.length === 0 || (isWhole && frames.every(({ event }, i) => event === read[i]?.event))) passage.pass();
    else for (const { value, event } of frames) if (isRecord(value)) passage.write(textOf({ value, event }));
  };

  return {
    take(read, isWhole) {
      const hasCall = read.some((frame) => frame.hasCall);
      if (!isKnown) {
        before();
        const isReason = read.some((frame) => frame.hasEnd && !isInChoice(frame));
        goesOn = isReason && format === "openai-chat";
        mustBreak = hasCall || !(isReason || isSeen(read, format));
      } else if (read.some(isError)) goesOn = false; // an error behind the reason
      isKnown = true;
      if (!hasCall) pass(read, isWhole);
    },
    mustBreak: () => mustBreak,
    goesOn: () => goesOn,
  };
}

/** The event that Anthropic's clients know an error by. */
const nameOf = (value: unknown, format: StreamFormat): string | undefined =>
  format === "anthropic" && isRecord(value) && value["type"] === "error" ? "error" : undefined;

const isError = ({ value, hasEnd }: ReadFrame): boolean =>
  !hasEnd && isRecord(value) && (Boolean(value["error"]) || value["type"] === "error");

/** True for an error that one of the choices has, where no client looks, whatever reason stands beside it. */
const isInChoice = ({ value }: ReadFrame): boolean =>
  isRecord(value) &&
  Array.isArray(value["choices"]) &&
  value["choices"].some((choice) => isRecord(choice) && choice["error"]);

/** True for an error that is written as clients of the format know it; Google's SDK takes all of them for answers. */
function isSeen(read: readonly ReadFrame[], format: StreamFormat): boolean {
  if (format === "gemini") return false;
  if (read.length === 0) return format !== "ollama"; // an event of that name which is no JSON
  return read.some(({ value }) => {
    if (!isRecord(value)) return false;
    const isNamed = value["type"] === "error";
    if (format === "anthropic") return isNamed;
    return Boolean(value["error"]) || (isNamed && format === "openai-responses");
  });
}
