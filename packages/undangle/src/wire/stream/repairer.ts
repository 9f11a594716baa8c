import { createFrameReader, dialects } from "#codecs";
import type { Frame, PlainText, ReadFrame, StreamDialect, StreamWriter } from "#codecs";
import { isRecord, mintCallId } from "#core";

import type { Exchange } from "../reporter.ts";
import { requestsOneChoice, toolsIn } from "../request/read-request.ts";
import { errorEvent, mustBreak } from "./failure-reasons.ts";
import { endStream, giveUp } from "./finish.ts";
import { endOfEventIn } from "./framing.ts";
import type { EndOfEvent, Framing } from "./framing.ts";
import { createLiveCalls } from "./live-calls.ts";
import type { OutputBuffer } from "./output-buffer.ts";
import { createTemplate, rewrite, run, writeFrames } from "./perform.ts";
import type { StreamRepair } from "./perform.ts";
import { initialState, phaseOf } from "./state.ts";
import type { StreamState } from "./state.ts";
import { createUnrelatedEvents, isCommentOrPing } from "./unrelated-events.ts";

/** Reads a stream event by event, decides with `transition` what becomes of each, and does it. */
export interface Repairer {
  /** Takes the selected event of the output buffer. */
  readonly take: (event: RawEvent) => void;
  /** Passes events from an index on that need not be read. Returns the index after them. */
  readonly passText: TextRun["pass"];
  /** Takes the end of an array, which the server may have omitted. */
  readonly close: (isMissing: boolean) => void;
  /** The provider reported an error, and nothing that clients read follows it. */
  readonly isOver: () => boolean;
  /** The end arrived, in formats whose clients stop reading there. */
  readonly isClientDone: () => boolean;
  /** The turn has ended. The connection may stay open. */
  readonly isDecided: () => boolean;
  /** An event of the format arrived. */
  readonly isKnown: () => boolean;
  /** The client has everything that arrived, unchanged. Not known of an array, whose commas are written. */
  readonly isUntouched: () => boolean;
  /** The number of bytes that are kept. */
  readonly size: () => number;
  /** More than `maxBytes` are kept. Gives the error in which the body has to end. */
  readonly giveUp: () => Error | undefined;
  /** The stream ended, or the client stopped reading. Gives the error in which the body has to end. */
  readonly end: (how?: { readonly isCancelled: boolean }) => Error | undefined;
}

/** The text of an event. */
export interface RawEvent {
  readonly raw: string;
  /** The text in which it arrived, if that was incomplete. */
  readonly arrived?: string;
  /** The number of bytes in which it arrived. */
  readonly size: number;
}

interface RepairerOptions {
  readonly writer: StreamWriter;
  readonly exchange: Exchange;
  readonly output: OutputBuffer;
  readonly framing: Framing;
  /** The client has received nothing for a long time. */
  readonly isClientWaiting: () => boolean;
}

export function createRepairer({ writer, exchange, output, framing, isClientWaiting }: RepairerOptions): Repairer {
  const { request, endpoint } = exchange;
  const { format } = endpoint;
  const dialect = dialects[format];
  const isList = framing === "list";
  const isLive = exchange.toolCalls === "stream";
  const seed = request.text ?? String(exchange.now()); // generated ids of two turns must differ
  const tools = toolsIn(request.body);
  const reader = createFrameReader({ format, tools, isSingle: requestsOneChoice(request), isBare: isList });
  const unrelated = createUnrelatedEvents({ dialect, framing, output, onChange: () => (repair.isChanged = true) });
  const live =
    isLive && writer.live !== undefined
      ? createLiveCalls({
          writer: writer.live,
          send: (frames) => writeFrames(repair, frames),
          mint: (number) => mintCallId(`${seed}\n${number}`),
          nameOf: reader.nameOf,
          isKnownName: reader.isKnownName,
        })
      : undefined;
  const repair: StreamRepair = {
    exchange,
    isList,
    isLive,
    reader,
    writer,
    output,
    unrelated,
    live,
    dialect,
    state: initialState,
    template: createTemplate(),
    passed: undefined,
    held: { frames: [], texts: [] },
    isChanged: false,
  };
  const textRun = createTextRun(repair, dialect, endOfEventIn[framing]);
  let kept = 0; // bytes of all calls, also those that passed, and of events whose format is not known yet

  const isFrame = ({ value }: ReadFrame): boolean => isRecord(value) || (dialect.hasLists && Array.isArray(value));

  /** Unrelated frames in the way that clients of the format ignore them. Undefined if they ignore them as they are. */
  const ignorable = (read: readonly ReadFrame[]): string | undefined =>
    writer.toIgnorable && read.filter(isFrame).map(frameOf).map(writer.toIgnorable).map(writer.serialize).join("");

  /** Takes an event that reports an error of the provider, or follows one. */
  const takeFailed = (raw: string, arrived: string, read: readonly ReadFrame[], isWhole: boolean): void => {
    repair.isChanged ||= read.some(({ hasCall }) => hasCall); // calls do not pass
    const isSeen = unrelated.isKnown() || (isList ? read.some(hasContent) : isEvent(raw, dialect));
    if (isSeen && isList && read.length === 0) repair.isChanged = true; // it is removed
    else if (isSeen) run(repair, errorEvent(read, isWhole, dialect));
    else unrelated.take(raw, { arrived, isOpen: false, hasFrames: true, isHeld: false });
  };

  /** Takes an event without content of the format. */
  const takeUnrelated = ({ raw, arrived, size }: Required<RawEvent>, read: readonly ReadFrame[]): void => {
    if (!unrelated.isKnown() || unrelated.hasEndMarker() || reader.endsInsideValue()) kept += size;
    const isHolding = repair.state.phase === "holding";
    const isUrgent = isHolding && isCommentOrPing(raw, read) && isClientWaiting();
    unrelated.take(raw, {
      arrived,
      isOpen: reader.endsInsideValue(),
      hasFrames: read.some(isFrame),
      ignorable: ignorable(read),
      isHeld: isHolding && !isUrgent,
    });
  };

  /** True before anything of the stream needs attention. */
  const isTextOnly = (): boolean =>
    repair.state.phase === "passing" && !repair.state.isTurnOver && !reader.hasCalls() && !reader.isIncomplete();

  return {
    passText: isList ? (_, from) => from : textRun.pass,
    take({ raw, arrived = raw, size }) {
      textRun.stop();
      if (raw === "") return;
      const read = reader.take(raw);
      const isWhole = !reader.isMisframed() && (isList ? read.length === 1 : dialect.isCanonical(raw, read.length));
      if (reader.isIncomplete()) run(repair, { type: "loss" });
      run(repair, { type: "next", hasCall: read.some(({ hasCall }) => hasCall) });
      if (reader.hasFailed()) return takeFailed(raw, arrived, read, isWhole);
      if (read.every((frame) => frame.isUnrelated) && (read.length === 0 || isWhole || !unrelated.isKnown()))
        return takeUnrelated({ raw, arrived, size }, read);
      if (!unrelated.isKnown()) kept = 0;
      unrelated.known();
      repair.isChanged ||= arrived !== raw;
      if (read.some(({ hasCall }) => hasCall)) kept += size;
      for (const each of read) {
        const frame = frameOf(each);
        if (each.isUnrelated) rewrite(repair, ignorable([each]) ?? writer.serialize(frame));
        else {
          const { texts, hasCall, hasEnd, slots } = each;
          run(repair, { type: "frame", frame, texts, hasCall, hasEnd, slots, isCanonical: isWhole });
          if (texts.length === 1 && repair.passed === frame && isTextOnly()) textRun.start(raw, frame);
        }
      }
    },
    close: unrelated.close,
    isOver: () => reader.hasFailed() && (mustBreak(repair) || !(isList || mayContinue(repair.state))), // an array has an end
    isDecided: () =>
      !isList &&
      !reader.hasFailed() &&
      repair.state.isTurnOver &&
      (dialect.end === "last-event" || unrelated.hasEndMarker()),
    isClientDone: () =>
      dialect.stopsAtEnd && (dialect.end === "last-event" ? repair.state.isTurnOver : unrelated.hasEndMarker()),
    isKnown: unrelated.isKnown,
    isUntouched: () => !isList && !repair.isChanged && phaseOf(repair.state) === "passing" && live?.hasBegun() !== true,
    size: () => Math.max(kept, output.size()),
    giveUp() {
      run(repair, { type: "next", hasCall: false });
      return giveUp(repair);
    },
    end(how = { isCancelled: false }) {
      run(repair, { type: "next", hasCall: false });
      return endStream(repair, how);
    },
  };
}

const mayContinue = (state: StreamState): boolean => state.phase === "failed" && state.mayContinue;

const frameOf = ({ value, event }: ReadFrame): Frame => ({ value: isRecord(value) ? value : {}, event });

const hasContent = ({ texts, hasCall, hasEnd }: ReadFrame): boolean => texts.length > 0 || hasCall || hasEnd;

/** False for bare JSON between events, which no client reads, not even as an error. */
const isEvent = (raw: string, { framing }: StreamDialect): boolean =>
  framing === "lines" || /^(?:data|event|error)/mu.test(raw);

/**
 * Passes events that contain nothing but text without parsing them. It starts after an event of the same notation with text in the same
 * place that was read in full and passed as it arrived, before any call, end or error. Then the next text is valid too.
 */
interface TextRun {
  /** A frame with one text was read from this event and passed as it arrived. More text may follow. */
  readonly start: (raw: string, frame: Frame) => void;
  /** Another event follows. */
  readonly stop: () => void;
  /** Passes the text events from an index on. Returns the index after them. */
  readonly pass: (bytes: Uint8Array, from: number) => number;
}

/** The place of the text, and the frame that had text there. */
interface Place {
  readonly name: string;
  readonly frame: Frame;
}

/** The number of bytes that are examined at once. Less than all, so that short runs in a long chunk cost no more. */
const portion = 16_384;

function createTextRun(repair: StreamRepair, dialect: StreamDialect, endOfEvent: EndOfEvent): TextRun {
  const { reader, writer, output, template } = repair;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const plain = dialect.plainText;
  let place: Place | undefined;

  const matchAt = (text: string, at: number, { pattern }: PlainText): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };

  return {
    start(raw, frame) {
      const match = plain && matchAt(raw, 0, plain);
      place = match?.[0].length === raw.length ? { name: plain?.placeOf(match.groups ?? {}) ?? "", frame } : undefined;
    },
    stop() {
      place = undefined;
    },
    pass(bytes, from) {
      if (place === undefined || plain === undefined) return from;
      const window = bytes.subarray(from, from + portion);
      const text = decoder.decode(window);
      const isAscii = text.length === window.length;
      const { kept } = plain;
      let [start, at, end, events] = [0, 0, from, 0]; // the last event in the text, the end of the bytes, and the number of events
      let json = "";
      let number = kept?.numberOf(place.frame.value) ?? 0;
      for (let match = matchAt(text, at, plain); match !== null; match = matchAt(text, at, plain)) {
        const groups = match.groups ?? {};
        if (plain.placeOf(groups) !== place.name) break;
        if (kept !== undefined) {
          const read = kept.read(groups);
          if (read === undefined || !(read.number > number)) break;
          number = read.number;
          json += read.json;
        }
        start = at;
        at += match[0].length;
        end = isAscii ? from + at : endOfEvent(bytes, end);
        events++;
      }
      if (events === 0) return from;
      const texts = json === "" ? "" : String(JSON.parse(`"${json}"`)); // a text of its own, which does not keep the chunk
      if (kept !== undefined) {
        const { frame } = place;
        place = { ...place, frame: { ...frame, value: kept.write(frame.value, texts, number) } };
        writer.emitted(place.frame);
      }
      reader.skip(events, texts);
      template.setRaw(text.slice(start, at));
      output.select(from, end);
      output.pass();
      return end;
    },
  };
}
