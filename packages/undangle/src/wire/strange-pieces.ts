import { isKeepAliveEvent } from "#codecs";
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
  /** All that waits passes as it came, and the mark of the end behind it. */
  readonly finish: () => void;
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
  /** What they are written as in a stream of the format, whose clients trip over them as they came. */
  readonly harmless?: string | undefined;
  /** Something waits. */
  readonly isWaiting: boolean;
}

/** A piece that is kept until it is known what it is. */
interface Kept {
  readonly came: string;
  /** What it is in a stream of the format; undefined for what is left out. */
  readonly written: string | undefined;
  readonly isMark: boolean;
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
  let isMarked = false; // nothing of the format has come behind the mark of the end
  let isMoved = false; // something of the format came behind the mark of the end
  let isChanged = false;
  let doubted: Kept[] = []; // what came before the first piece of the format: it passes if the body is somebody else's
  const kinds = new Set<string>(); // of those
  let last: Kept[] = []; // the mark of the end, and what came behind it
  let waiting: string[] = [];

  const flush = (): void => {
    for (const { came } of doubted) passage.write(came);
    doubted = [];
  };

  /** Keeps a piece until it is clear whose body this is: signs of life say the same again and again. */
  const doubt = (raw: string, piece: Kept): void => {
    doubted.push(piece);
    if (hasContent(raw, format)) kinds.add(raw.replaceAll(/[\d\s]/gu, ""));
    isForeign = kinds.size > (format === "ollama" ? 1 : mostKinds);
    if (isForeign) flush();
  };

  /** True while nobody knows whose body this is, for a piece that would not be the same in one of the format, or comes behind such. */
  const isDoubtful = (isOther: boolean): boolean => isOther && !isKnown && !isForeign && !isList;

  /** The piece that is looked at passes, as what it is given as, or waits where something does. */
  const pass = (raw: string, isWaiting: boolean): void => {
    flush();
    if (!isWaiting) {
      passage.pass();
      return;
    }
    passage.wait();
    if (isList || hasData.test(raw)) waiting.push(raw);
  };

  const takeMark = (raw: string, came: string): void => {
    isMarked = true;
    if (isMoved) return; // there is one
    const isOdd = isKnown && !isPlainMark(raw);
    isChanged ||= isOdd;
    const piece = { came: isOdd ? mark : came, written: undefined, isMark: true };
    if (doubted.length > 0 && !isForeign) doubted.push(piece);
    else last.push(piece);
  };

  return {
    take(raw, { came, isOpen, hasFrames, harmless, isWaiting }) {
      const isLeftOut = !hasFrames && !isOpen && (isList ? isKnown : isObstacle(raw, format));
      const offered = hasFrames && harmless !== undefined && !isSame(harmless, raw) ? harmless : undefined;
      const piece = { came, written: isLeftOut ? undefined : (offered ?? came), isMark: false };
      if (isOpen) doubted.push({ ...piece, written: undefined });
      else if (!hasFrames && !isList && isMark.test(raw) && !(isKnown && format === "gemini")) takeMark(raw, came);
      else if (isKnown && isLeftOut) isChanged = true;
      else if (last.length > 0 && !isMoved) {
        isChanged ||= isKnown && offered !== undefined;
        last.push(piece);
      } else if (isKnown && offered !== undefined) {
        isChanged = true;
        passage.give(offered, raw);
        pass(offered, isWaiting);
      } else if (isDoubtful(isLeftOut || offered !== undefined || (doubted.length > 0 && !hasFrames)))
        doubt(raw, piece);
      else {
        if (!isList || !isKnown) passage.undo();
        pass(raw, isWaiting);
      }
    },
    close(isForgotten) {
      if (isKnown) isChanged ||= isForgotten;
      else passage.undo();
      passage.wait(); // it stays the last
    },
    known() {
      isKnown = true;
      isForeign = false;
      isMarked = false;
      if (isMoved || doubted.length + last.length === 0) return;
      isChanged = true;
      const kept = [...doubted, ...last];
      for (const { written } of kept) if (written !== undefined) passage.write(written);
      isMoved = kept.some((piece) => piece.isMark);
      last = isMoved ? [{ came: mark, written: undefined, isMark: true }] : [];
      doubted = [];
    },
    release() {
      passage.release();
      waiting = [];
    },
    spill() {
      for (const each of waiting) passage.write(each);
      waiting = [];
      for (const { came, written } of last) if (written !== undefined && hasData.test(came)) passage.write(written);
      last = last.filter((piece) => piece.isMark);
    },
    end() {
      if (!isKnown) flush();
      isChanged ||= doubted.length > 0; // what was left in the middle of a value
      doubted = [];
    },
    finish() {
      passage.release();
      for (const { came, written } of last) passage.write((isKnown ? written : undefined) ?? came);
    },
    isKnown: () => isKnown,
    isMarked: () => isMarked,
    isChanged: () => isChanged,
  };
}

const hasData = /^data/mu;

/** True for a piece that is written as it came, but for blanks. */
const isSame = (one: string, other: string): boolean => bare(one) === bare(other);
const bare = (text: string): string => text.replaceAll(/\s/gu, "");

/** The mark that OpenAI puts behind the last event. */
const mark = "data: [DONE]\n\n";
const isMark = /^(?:data: *)?\[DONE\]/mu;

/** True for a mark that all clients know. */
const isPlainMark = (raw: string): boolean => /^(?:data: ?)?\[DONE\]\r?$/mu.test(raw) && !hasOddBreaks.test(raw);

/** So many different pieces that say something are no signs of life, but a stream of somebody else's. */
const mostKinds = 8;

/** Line breaks that not all clients know. */
const hasOddBreaks = /\r(?!\n)/u;

/** True for a piece that clients of the format trip over: data that is no JSON, and belongs to no event of another name. */
function isObstacle(raw: string, format: StreamFormat): boolean {
  if (format === "gemini") return !isReadable(raw, 0, format) || isHalf(raw);
  if (format === "ollama") return !isReadable(raw, 0, format);
  if (hasOddBreaks.test(raw)) return true;
  if (format === "openai-chat" && isKeepAliveEvent(raw)) return true; // its clients take the data of any event for a chunk
  return !/^event/mu.test(raw) && /^[ \t]*(?!(?:id|retry|:))[^\s:]/mu.test(raw);
}

/** True without a blank line at the end: Google's SDK takes that for half an answer, also where it is a comment. */
const isHalf = (raw: string): boolean => raw.trim() !== "" && !/\n\r?\n$/u.test(raw);

/** True for a piece that says something, to whoever knows it. */
const hasContent = (raw: string, format: StreamFormat): boolean =>
  format === "ollama" ? raw.trim() !== "" : /^(?!data:? *\r?$)[^\s:]/mu.test(raw);
