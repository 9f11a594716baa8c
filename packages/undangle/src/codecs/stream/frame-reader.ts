import { cleanName, createAssembly, isRecord, listen, mayLackCall } from "#core";
import type { AssembledCall, AssembledTurn, Slot } from "#core";

import type { TextDelta, TextOfTurn } from "./response-writer.ts";
import type { StreamDecoder } from "./decoder.ts";
import { decoders } from "./decoders.ts";
import { dialects } from "./events/dialects.ts";
import { parsing, takeFrame } from "./feed.ts";
import type { StreamFormat } from "./formats.ts";
import { isKeepAlive, createEventReader } from "./events/sse.ts";
import { toolNamesOf } from "./decoder.ts";

/** The content of one event. */
export interface ReadFrame {
  readonly value: unknown;
  readonly event: string | undefined;
  readonly texts: readonly TextDelta[];
  /** True if it contains a part of a call or the end of the turn. */
  readonly hasCall: boolean;
  readonly hasEnd: boolean;
  /** The calls that it contains parts of. */
  readonly slots: readonly Slot[];
  /** True if nothing was read: the event does not belong to the format, or is a keep-alive. */
  readonly isUnrelated: boolean;
}

/** Reads a stream in chunks, and reports the content of each event. */
export interface FrameReader {
  /** Reads the frames of a chunk that ends at the end of an event. */
  readonly take: (raw: string) => readonly ReadFrame[];
  /** True if no client can read the framing of the last chunk. */
  readonly isMisframed: () => boolean;
  /** Counts events that were not parsed, with text in the place of the last one. The text is kept only if it is given. */
  readonly skip: (events: number, text: string) => void;
  /** True if a call has begun. */
  readonly hasCalls: () => boolean;
  /** True if a chunk could not be read and a call may lack it. */
  readonly isIncomplete: () => boolean;
  /** True if the last chunk ends inside a JSON value. */
  readonly endsInsideValue: () => boolean;
  /** True for a name that needs no cleanup. */
  readonly isPlainName: (name: string) => boolean;
  /** True for the name of an offered tool, which is complete. An unknown name may be only the first part of one. */
  readonly isKnownName: (name: string) => boolean;
  /** The name without surrounding characters. */
  readonly nameOf: (name: string) => string;
  /** True if the provider has reported an error. */
  readonly hasFailed: () => boolean;
  /** The text so far, in formats with one choice. */
  readonly textSoFar: () => TextOfTurn;
  /** Ends the stream. Returns the calls, and content that is only certain at the end. */
  readonly end: () => ReadEnd;
}

export interface ReadEnd extends Pick<ReadFrame, "texts" | "hasCall"> {
  readonly turns: readonly AssembledTurn[];
  /** The state of each call by number. Calls that repeat another call have no entry. */
  readonly calls: ReadonlyMap<number, CallEnd>;
}

interface CallEnd {
  readonly choice: number;
  readonly call: AssembledCall;
}

const none: readonly Slot[] = [];

export function createFrameReader({
  format,
  tools,
  isSingle,
  isBare,
}: {
  readonly format: StreamFormat;
  readonly tools: unknown;
  /** True if the request asked for one choice. */
  readonly isSingle: boolean;
  /** True if each chunk is the data of one event, without framing. */
  readonly isBare: boolean;
}): FrameReader {
  const names = toolNamesOf(tools);
  let readTexts: TextDelta[] = [];
  let slots = new Set<Slot>();
  let hasCall = false;
  let hasEnd = false;
  let isBroken = false;
  let isUnknown = false;
  let isRescued = false;
  let isTruncated = false;
  let hasCalls = false;

  const assembly = createAssembly({
    tools: names,
    knownIds: new Set(),
    lenient: false,
    isSingle,
    hasClientTools: false,
    observer: {
      text(type, { number }, text) {
        if (text !== "") readTexts.push({ type, choice: number, text });
      },
      opened(slot, choice) {
        hasCall = true;
        hasCalls = true;
        isTruncated ||= mayLackCall(choice);
        slot.isEmitted = true; // there is no listener for its start
      },
      continued(slot) {
        hasCall = true;
        slots.add(slot);
      },
      finished(choice) {
        hasEnd = true;
        isTruncated ||= mayLackCall(choice);
      },
      failed() {
        isBroken = true;
      },
      noted(kind) {
        if (kind === "frame-unknown") isUnknown = true;
      },
    },
  });
  const decoder = decoders[format](assembly);

  let frames: ReadFrame[] = [];
  const parse = parsing(assembly, dialects[format], {
    take(value, event) {
      readTexts = [];
      hasCall = false;
      hasEnd = false;
      isUnknown = false;
      if (slots.size > 0) slots = new Set();
      takeFrame(value, event, decoder, assembly);
      const isNothing = readTexts.length === 0 && !hasCall && !hasEnd;
      frames.push({
        value,
        event,
        texts: readTexts,
        hasCall,
        hasEnd,
        slots: slots.size === 0 ? none : [...slots],
        isUnrelated: isNothing && (isUnknown || isKeepAlive(value, event) || isForeign(value, decoder)),
      });
    },
    onSeveral() {
      isRescued = true;
    },
    onLoss() {
      isTruncated = true;
    },
  });
  const reader = createEventReader(parse);

  return {
    take(raw) {
      frames = [];
      isRescued = false;
      if (isBare) parse(raw, undefined);
      else reader.add(raw);
      return frames;
    },
    skip(events, text) {
      assembly.frames += events;
      const last = text === "" ? undefined : assembly.choice(0).order.at(-1);
      if (last !== undefined && "text" in last) last.text += text;
    },
    hasCalls: () => hasCalls,
    isMisframed: () => isRescued,
    isIncomplete: () => isTruncated,
    endsInsideValue: () => reader.isOpen(),
    isPlainName: (name) => cleanName(name, names) === name,
    isKnownName: (name) => names?.has(name) === true,
    nameOf: (name) => cleanName(name, names),
    hasFailed: () => isBroken,
    textSoFar() {
      const parts = assembly
        .choice(0)
        .order.flatMap((item) => ("text" in item ? [{ type: item.type, text: item.text }] : []));
      const join = (type: TextDelta["type"]): string =>
        parts.map((part) => (part.type === type ? part.text : "")).join("");
      return { text: join("text"), reasoning: join("reasoning"), parts };
    },
    end() {
      reader.end();
      readTexts = [];
      hasCall = false;
      decoder.end?.();
      const late = { texts: readTexts, hasCall };
      const calls = new Map<number, CallEnd>();
      listen(assembly, (part) => {
        if (part.type === "call-end") calls.set(part.call, { choice: part.choice, call: part.result });
      });
      return { turns: assembly.end(), calls, ...late };
    },
  };
}

/** True for an event that does not belong to the format. */
const isForeign = (value: unknown, decoder: StreamDecoder): boolean =>
  isRecord(value) && decoder.isForeign?.(value) === true;
