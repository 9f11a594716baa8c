import type { StreamFormat } from "#codecs";

import { isReadable } from "./is-readable.ts";
import type { Entrance } from "./passage.ts";
import type { Framing } from "./split-events.ts";

/** Pieces of a body in which nothing was read. What is not understood passes as it came, at its place. */
export interface StrangePieces {
  /** Takes the piece that is looked at. */
  readonly take: (raw: string, manner: Manner) => void;
  /** Takes the end of a list, which is the piece that is looked at; it may have been forgotten. */
  readonly close: (isForgotten: boolean) => void;
  /** A piece of the format has come. */
  readonly known: () => void;
  /** All that waits passes as it came, and these with it. */
  readonly release: () => void;
  /** What waits is written anew: these are not lost with it. */
  readonly spill: () => void;
  /** Nothing more comes. */
  readonly end: () => void;
  /** Something of the format has come. */
  readonly isKnown: () => boolean;
  /** The mark of the end has. */
  readonly isMarked: () => boolean;
  /** Something was left out, or written in another way. */
  readonly isChanged: () => boolean;
}

interface Manner {
  /** What it came as: its end may have been forgotten. */
  readonly came: string;
  /** It ends in the middle of a value. */
  readonly isOpen: boolean;
  /** It has frames, and they are none of the format. */
  readonly hasFrames: boolean;
  /** Something waits. */
  readonly isWaiting: boolean;
}

interface Surroundings {
  readonly format: StreamFormat;
  readonly framing: Framing;
  readonly passage: Entrance;
}

export function createStrangePieces({ format, framing, passage }: Surroundings): StrangePieces {
  const isList = framing === "list";
  let isKnown = false;
  let isForeign = false; // the body is one of somebody else, for all that is known
  let isMarked = false; // the mark of the end waits
  let isChanged = false;
  let doubted: string[] = []; // pieces that pass if the body is somebody else's
  let waiting: string[] = [];

  const pass = (raw: string, isWaiting: boolean): void => {
    for (const each of doubted) passage.write(each);
    doubted = [];
    if (!isList || !isKnown) passage.undo();
    if (!isWaiting && !isMarked) {
      passage.pass();
      return;
    }
    passage.wait();
    if (isList || hasData.test(raw)) waiting.push(raw);
  };

  return {
    take(raw, { came, isOpen, hasFrames, isWaiting }) {
      if (isOpen) doubted.push(came);
      else if (hasFrames) pass(raw, isWaiting);
      else if (isList) {
        if (isKnown) isChanged = true; // it is left out
        else pass(raw, isWaiting);
      } else if (isMark.test(raw) && !(isKnown && format === "gemini")) {
        passage.undo();
        if (isKnown && hasOddBreaks.test(raw)) {
          passage.give(mark, raw);
          isChanged = true;
        }
        passage.wait(); // it stays the last
        isMarked = true;
      } else if (!isObstacle(raw, format) || isForeign) pass(raw, isWaiting);
      else if (!isKnown) {
        isForeign = hasContent(raw, format) && doubted.some((each) => hasContent(each, format));
        if (isForeign) pass(raw, isWaiting);
        else doubted.push(came);
      } else isChanged = true; // it is left out
    },
    close(isForgotten) {
      if (isKnown) isChanged ||= isForgotten;
      else passage.undo();
      passage.wait(); // it stays the last
    },
    known() {
      isKnown = true;
      isForeign = false;
      isChanged ||= doubted.length > 0;
      doubted = [];
    },
    release() {
      passage.release();
      waiting = [];
    },
    spill() {
      for (const each of waiting) passage.write(each);
      waiting = [];
    },
    end() {
      if (!isKnown) for (const each of doubted) passage.write(each);
      doubted = [];
    },
    isKnown: () => isKnown,
    isMarked: () => isMarked,
    isChanged: () => isChanged,
  };
}

const hasData = /^data/mu;

/** The mark that OpenAI puts behind the last event. */
const mark = "data: [DONE]\n\n";
const isMark = /^(?:data: *)?\[DONE\]/mu;

/** Line breaks that not all clients know. */
const hasOddBreaks = /\r(?!\n)/u;

/** True for a piece that clients of the format trip over: data that is no JSON, and belongs to no event of another name. */
function isObstacle(raw: string, format: StreamFormat): boolean {
  if (format === "gemini") return !isReadable(raw, 0, format) || isHalf(raw);
  if (format === "ollama") return !isReadable(raw, 0, format);
  if (hasOddBreaks.test(raw)) return true;
  return !/^event/mu.test(raw) && /^[ \t]*(?!(?:id|retry|:))[^\s:]/mu.test(raw);
}

/** True without a blank line at the end: Google's SDK takes that for half an answer, also where it is a comment. */
const isHalf = (raw: string): boolean => raw.trim() !== "" && !/\n\r?\n$/u.test(raw);

/** True for a piece that says something, to whoever knows it. */
const hasContent = (raw: string, format: StreamFormat): boolean =>
  format === "ollama" ? raw.trim() !== "" : /^(?!data:? *\r?$)[^\s:]/mu.test(raw);
