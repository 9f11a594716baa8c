import { endMarker, isEndMarker, isEndMarkerEvent, isKeepAlive, isKeepAliveName, isPlainEndMarker } from "#codecs";
import type { ReadFrame, StreamDialect } from "#codecs";
import { isRecord, parseJson } from "#core";

import type { Framing } from "./framing.ts";
import type { OutputBuffer } from "./output-buffer.ts";

/** Events without content of the format: comments, keep-alives, end markers, and events of other protocols. They keep their places. */
export interface UnrelatedEvents {
  /** Takes the selected event. */
  readonly take: (raw: string, circumstances: Circumstances) => void;
  /** Takes the end of an array, which the server may have omitted. */
  readonly close: (isMissing: boolean) => void;
  /** An event of the format arrived. */
  readonly known: () => void;
  /** All held events pass as they arrived. */
  readonly release: () => void;
  /** Writes these events, because the held ones around them do not pass. */
  readonly releaseRest: () => void;
  /** The stream has ended. */
  readonly end: () => void;
  /** All held events pass as they arrived, and the end marker after them. */
  readonly finish: () => void;
  /** An event of the format arrived. */
  readonly isKnown: () => boolean;
  /** The end marker arrived, and nothing of the format after it. */
  readonly hasEndMarker: () => boolean;
}

interface Circumstances {
  /** The text as it arrived. The server may have omitted its end. */
  readonly arrived: string;
  /** The event ends inside of a JSON value. */
  readonly isOpen: boolean;
  /** It contains frames of another protocol. */
  readonly hasFrames: boolean;
  /** The frames in the way that clients of the format ignore them. */
  readonly ignorable?: string | undefined;
  /** Other events are held. */
  readonly isHeld: boolean;
}

/** An event that is kept until its protocol is known. */
interface Kept {
  readonly arrived: string;
  /** Its text in a stream of the format. Undefined if it is removed. */
  readonly written: string | undefined;
  readonly isEndMarker: boolean;
}

interface UnrelatedOptions {
  readonly dialect: StreamDialect;
  readonly framing: Framing;
  readonly output: OutputBuffer;
  /** Called when an event is removed or rewritten. */
  readonly onChange: () => void;
}

export function createUnrelatedEvents({ dialect, framing, output, onChange }: UnrelatedOptions): UnrelatedEvents {
  const isList = framing === "list";
  let isKnown = false;
  let isForeign = false; // the body seems to be of another protocol
  let hasEndMarker = false; // nothing of the format followed it
  let isMoved = false; // something of the format followed the end marker, which was moved to the end
  let preamble: Kept[] = []; // before the first event of the format: it passes if the body is of another protocol
  const kinds = new Set<string>(); // of those events
  let last: Kept[] = []; // the end marker and what follows it
  let held: string[] = [];

  const flush = (): void => {
    for (const { arrived } of preamble) output.write(arrived);
    preamble = [];
  };

  /** Keeps an event until the protocol is known. Keep-alives are alike, so many different events are another protocol. */
  const keep = (raw: string, event: Kept): void => {
    preamble.push(event);
    if (hasContent(raw, dialect)) kinds.add(raw.replaceAll(/[\d\s]/gu, ""));
    isForeign = kinds.size > dialect.mostUnknownEvents;
    if (isForeign) flush();
  };

  /** True while the protocol is not known, for an event that a stream of the format would not pass unchanged, or after one. */
  const isDoubtful = (isOther: boolean): boolean => isOther && !isKnown && !isForeign && !isList;

  /** Passes the selected event, or holds it with others. */
  const pass = (raw: string, isHeld: boolean): void => {
    flush();
    if (!isHeld) return output.pass();
    output.hold();
    if (isList || hasData.test(raw)) held.push(raw);
  };

  const takeEndMarker = (raw: string, arrived: string): void => {
    hasEndMarker = true;
    if (isMoved) return; // there is one
    const isOdd = isKnown && !isPlainEndMarker(raw);
    if (isOdd) onChange();
    const event = { arrived: isOdd ? endMarker : arrived, written: undefined, isEndMarker: true };
    if (preamble.length > 0 && !isForeign) preamble.push(event);
    else last.push(event);
  };

  return {
    take(raw, { arrived, isOpen, hasFrames, ignorable, isHeld }) {
      const isRemoved = !hasFrames && !isOpen && (isList ? isKnown : dialect.isObstacle(raw));
      const rewritten = hasFrames && ignorable !== undefined && !isSame(ignorable, raw) ? ignorable : undefined;
      const event = { arrived, written: isRemoved ? undefined : (rewritten ?? arrived), isEndMarker: false };
      if (isOpen) preamble.push({ ...event, written: undefined });
      else if (!hasFrames && !isList && isEndMarkerEvent(raw) && !(isKnown && dialect.end === "body"))
        takeEndMarker(raw, arrived);
      else if (isKnown && isRemoved) onChange();
      else if (last.length > 0 && !isMoved) {
        if (isKnown && rewritten !== undefined) onChange();
        last.push(event);
      } else if (isKnown && rewritten !== undefined) {
        onChange();
        output.replace(rewritten, raw);
        pass(rewritten, isHeld);
      } else if (isDoubtful(isRemoved || rewritten !== undefined || (preamble.length > 0 && !hasFrames)))
        keep(raw, event);
      else {
        if (!isList || !isKnown) output.restore();
        pass(raw, isHeld);
      }
    },
    close(isMissing) {
      if (!isKnown) output.restore();
      else if (isMissing) onChange();
      output.hold(); // it stays the last
    },
    known() {
      isKnown = true;
      isForeign = false;
      hasEndMarker = false;
      if (isMoved || preamble.length + last.length === 0) return;
      onChange();
      const kept = [...preamble, ...last];
      for (const { written } of kept) if (written !== undefined) output.write(written);
      isMoved = kept.some((event) => event.isEndMarker);
      last = isMoved ? [{ arrived: endMarker, written: undefined, isEndMarker: true }] : [];
      preamble = [];
    },
    release() {
      output.release();
      held = [];
    },
    releaseRest() {
      for (const event of held) output.write(event);
      held = [];
      for (const { arrived, written } of last)
        if (written !== undefined && hasData.test(arrived)) output.write(written);
      last = last.filter((event) => event.isEndMarker);
    },
    end() {
      if (!isKnown) flush();
      if (preamble.length > 0) onChange(); // events inside of a value that never ended
      preamble = [];
    },
    finish() {
      output.release();
      for (const { arrived, written } of last) output.write((isKnown ? written : undefined) ?? arrived);
    },
    isKnown: () => isKnown,
    hasEndMarker: () => hasEndMarker,
  };
}

const hasData = /^data/mu;

/** True for texts that differ only in white space. */
const isSame = (one: string, other: string): boolean => bare(one) === bare(other);
const bare = (text: string): string => text.replaceAll(/\s/gu, "");

/** True for an event with content of some protocol. */
const hasContent = (raw: string, { framing }: StreamDialect): boolean =>
  framing === "lines" ? raw.trim() !== "" : /^(?!data:? *\r?$)[^\s:]/mu.test(raw);

/** True for an event that only keeps the connection alive and may pass before held events: a comment, or a bare ping. */
export function isCommentOrPing(raw: string, read: readonly ReadFrame[]): boolean {
  if (read.length === 0) return isComment.test(raw);
  return hasNoId.test(raw) && read.every(isBarePing);
}

const isComment = /^(?:(?::[^\r\n]*)?\r?\n)+$/u;

/** An event with an id may not overtake others: a client that resumes after it would miss them. */
const hasNoId = /^(?:(?:event|data|:)[^\r\n]*\r?\n)+\r?\n$/u;

function isBarePing({ value, event }: ReadFrame): boolean {
  if (!isRecord(value) || Object.keys(value).some((key) => key !== "type")) return false;
  return isKeepAlive(value, event);
}

/** What becomes of an event after the end of the turn. */
export interface Trailer {
  readonly passed: string;
  readonly isRemoved: boolean;
}

/**
 * Events without content pass after the end of a turn, such as keep-alives. Events with content are removed. For a client that fails on
 * every event that it does not know, keep-alives become comments.
 */
export function trailerOf(text: string, { rejectsUnknown }: { readonly rejectsUnknown: boolean }): Trailer {
  if (!hasNoContent(text)) return { passed: "", isRemoved: true };
  const isUnknown = rejectsUnknown && hasFields.test(text) && !isEndMarkerEvent(text);
  return isUnknown ? { passed: asComment(text), isRemoved: true } : { passed: text, isRemoved: false };
}

/** More bytes without an end are not a keep-alive. */
export const largestKeepAlive = 1024 * 1024;

/** True for blank lines, comments, another end marker, and keep-alives. */
function hasNoContent(text: string): boolean {
  let event: string | undefined;
  const data: string[] = [];
  for (const line of text.split(/\r\n?|\n/u)) {
    const [, name = "", value = ""] = /^(event|data): ?(.*)$/su.exec(line) ?? [];
    if (name === "event") event = value;
    else if (name === "data") data.push(value);
    else if (!isEmptyLine.test(line) && !isEndMarker(line)) return false;
  }
  return isKeepAliveName(event) || data.every((value) => isSilent(value, event));
}

const hasFields = /^(?:event|data):/mu;

const asComment = (text: string): string => text.replaceAll(/^(?=[^:\s])/gmu, ": ");

const isEmptyLine = /^(?:[\t ]*$|:|(?:id|retry):)/u;

/** True for the end marker and for a keep-alive, but not for blank data, on which clients fail. */
function isSilent(data: string, event: string | undefined): boolean {
  const text = data.trim();
  if (isEndMarker(text)) return event === undefined;
  return text.length < longestPing && isKeepAlive(parseJson(text), event);
}

const longestPing = 1000;
