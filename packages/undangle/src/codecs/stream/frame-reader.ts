import { cleanName, createAssembly, isObjectText, isRecord, listen, mayLackCall } from "#core";
import type { AssembledCall, AssembledTurn, Slot } from "#core";

import type { ClientTurn, TextDelta, TextOfTurn } from "./response-writer.ts";
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
  /** True for the text of a JSON object. */
  readonly isObjectText: (text: string) => boolean;
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
  /** True if these turns equal the received content, without anomalies. Then no assembly is necessary. */
  readonly areExactly: (turns: readonly ClientTurn[]) => boolean;
  /** Releases the content. V8 keeps the slots in the old generation, with everything they reference. */
  readonly dispose: () => void;
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
  const opened: Slot[] = []; // all calls
  const checked: number[] = []; // the number of fragments of the first call that form a JSON object; -1 if they do not

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
        opened.push(slot);
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

  const checkText = (text: string): boolean => {
    if (!endsObject(text)) return false; // called for each text between the deltas of a call
    const isSo = isObjectText(text);
    const next = opened[checked.length];
    if (next !== undefined && textIn(next) === text) checked.push(isSo ? next.fragments.length : -1);
    return isSo;
  };

  /** True if the arguments of a call equal this text and are a JSON object. Earlier results are cached. */
  const hasArguments = (slot: Slot, number: number, text: string): boolean =>
    textIn(slot) === text &&
    ((opened[number] === slot && checked[number] === slot.fragments.length) || isObjectText(text));

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
    hasCalls: () => opened.length > 0,
    isMisframed: () => isRescued,
    isIncomplete: () => isTruncated,
    endsInsideValue: () => reader.isOpen(),
    isObjectText: checkText,
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
    areExactly(turns) {
      const choice = reader.isOpen() || isBroken ? undefined : assembly.soundChoice();
      const [turn] = turns;
      if (choice === undefined || turn === undefined || turns.length > 1 || !turn.isEnded) return false;
      return (
        choice.finishes[0] === (turn.calls.length > 0 ? "tool_calls" : "stop") &&
        areSound(choice.slots) &&
        turn.calls.length === choice.slots.length &&
        turn.calls.every(({ id, name, arguments: text }, i) => {
          const slot = choice.slots[i];
          if (slot === undefined || id === "" || name === "" || slot.id !== id || slot.name !== name) return false;
          return cleanName(name, names) === name && hasArguments(slot, i, text);
        })
      );
    },
    dispose() {
      for (const slot of opened) slot.fragments.length = 0;
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

/** False if the last character shows that a text is not a JSON object. */
function endsObject(text: string): boolean {
  let at = text.length - 1;
  while (at >= 0 && text.charCodeAt(at) <= 0x20) at--;
  return text.charCodeAt(at) === 0x7d;
}

const textIn = ({ fragments }: Slot): string => fragments.reduce((sum, fragment) => sum + fragment, "");

/** True for consecutive calls with text arguments, in the order of their indexes. */
function areSound(slots: readonly Slot[]): boolean {
  const ids = new Set(slots.map(({ id }) => id));
  return (
    ids.size === slots.length &&
    slots.every(({ label, repeats, isOpen, isFreeText, value }, i) => {
      const before = slots[i - 1]?.label ?? -1;
      const isNext = typeof label === "number" && typeof before === "number" && label > before;
      return isNext && repeats === undefined && !isOpen && !isFreeText && value === undefined;
    })
  );
}

/** True for an event that does not belong to the format. */
const isForeign = (value: unknown, decoder: StreamDecoder): boolean =>
  isRecord(value) && decoder.isForeign?.(value) === true;
