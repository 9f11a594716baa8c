import { isObjectText, parseJson } from "#core";
import type { AssembledCall, AssembledTurn, JsonObject } from "#core";

/** A frame: its value, and the name of its event if the format has one. */
export interface Frame {
  readonly value: JsonObject;
  readonly event?: string | undefined;
  /** Written as a comment, which every client ignores. */
  readonly isComment?: true;
}

/** The content of a response as a strict client reads it, which trusts the provider. */
export interface ClientTurn {
  /** The id is blank if the format does not require one. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** The turn has ended, with a finish reason that fits its content. */
  readonly isEnded: boolean;
}

/** The text of a turn, which may not have ended. */
export type TextOfTurn = Pick<AssembledTurn, "text" | "reasoning" | "parts">;

/**
 * Models a strict client of one stream, and writes frames that it accepts. Every SDK correctly reads a response that
 * the strict client reads correctly. The writer receives every frame once.
 */
export interface StreamWriter {
  /** True for a frame without calls from which every client reads exactly this content. */
  readonly isValid: (frame: Frame, content: FrameContent) => boolean;
  /** The client gets a frame. */
  readonly emitted: (frame: Frame) => void;
  /** A frame is held: it contains calls or the end of the turn, or follows one that does. */
  readonly held: (frame: Frame) => void;
  /** The client gets all held frames. */
  readonly released: () => void;
  /**
   * The content of all frames as the client reads them, including held frames, by choice. Undefined if it rejects one
   * of them.
   */
  readonly clientTurns: () => readonly ClientTurn[] | undefined;
  /** The client rejects a held frame. */
  readonly isRejected: () => boolean;
  /** Writes calls in parts. Formats that send complete calls have none. */
  readonly live?: LiveWriter;
  /** True for a frame with a finish reason, in formats in which the end follows it. */
  readonly hasFinishReason: (frame: Frame) => boolean;
  /** True for a frame with a finish reason after which servers send calls. It is held until the next frame. */
  readonly mayPrecedeCall: (frame: Frame) => boolean;
  /** True for a frame that ends a call. */
  readonly endsCall: (frame: Frame) => boolean;
  /** True for a frame after which no arguments of an ended call follow. */
  readonly confirmsCall: (frame: Frame) => boolean;
  /** True for text of a choice that has not ended, if all choices with calls have. */
  readonly isOfOtherChoice: (texts: readonly TextDelta[]) => boolean;
  /** The client saw the end of the turn, in formats in which nothing may follow it. */
  readonly isEnded: () => boolean;
  /** True for a valid frame with a delta of a call that announces more deltas. */
  readonly announcesMore: (frame: Frame) => boolean;
  /** The parts of a turn are numbered, so that text after held calls is held too. */
  readonly hasIndexedParts: boolean;
  /** True for arguments that are not a JSON object, but that the client reads as one. */
  readonly misreads: (text: string) => boolean;
  /** Frames with text and reasoning, in place of an invalid one. */
  readonly writeText: (texts: readonly TextDelta[], template: JsonObject) => readonly Frame[];
  /** The same with all other content of the frame. Default: `writeText`. */
  readonly rewrite?: (frame: Frame, texts: readonly TextDelta[]) => readonly Frame[];
  /** Frames with the text that the client lacks, without calls and without the end. */
  readonly writeRemainder: (turn: TextOfTurn) => readonly Frame[];
  /** Frames with calls and the end of the turns, in place of the held ones. */
  readonly writeTurns: (
    turns: readonly AssembledTurn[],
    held: readonly Frame[],
    template: JsonObject,
  ) => readonly Frame[];
  /** The client fails on every event that it does not know, also after the end. */
  readonly rejectsUnknown: boolean;
  /** A frame of another protocol in the shape that the client ignores. Default: it ignores all of them. */
  readonly toIgnorable?: (frame: Frame) => Frame;
  /** The text of a frame. */
  readonly serialize: (frame: Frame) => string;
  /** The end of a rewritten stream. */
  readonly endMarker: string;
}

/** What most formats have in common. */
export const usualWriter = {
  hasFinishReason: () => false,
  mayPrecedeCall: () => false,
  confirmsCall: () => true,
  isOfOtherChoice: () => false,
  isEnded: () => false,
  announcesMore: () => false,
  hasIndexedParts: false,
  misreads: () => false,
  writeRemainder: () => [],
  rejectsUnknown: false,
  serialize: eventOf,
  endMarker: "",
} satisfies Partial<StreamWriter>;

/** Writes calls in deltas, consistent with what the client has received. */
export interface LiveWriter {
  readonly begin: (call: LiveCall, template: JsonObject) => readonly Frame[];
  /** Returns no frames if the client accepts no more arguments. */
  readonly more: (call: LiveCall, text: string, template: JsonObject) => readonly Frame[];
  /** True if a call must not start before the previous call has ended. */
  readonly isSequential: boolean;
  /** True if some servers send the name of a call in parts. */
  readonly hasSplitNames: boolean;
}

export interface LiveCall {
  readonly id: string;
  readonly name: string;
  readonly choice: number;
  /** The number of earlier calls of the choice. */
  readonly index: number;
  /** A custom tool, whose input is text. */
  readonly isCustom: boolean;
  /** Fields of the call that only its format has. */
  readonly extras?: JsonObject | undefined;
}

/** The same for a response that is one JSON body. */
export interface BodyWriter {
  /** False for a body without calls from which clients cannot read the text. */
  readonly isTextVisible: (body: JsonObject, facts?: RequestFacts) => boolean;
  readonly clientTurns: (body: JsonObject, facts?: RequestFacts) => readonly ClientTurn[] | undefined;
  readonly write: (turns: readonly AssembledTurn[], body: JsonObject, facts?: RequestFacts) => JsonObject;
  /** Frames with the content of the body, for a client that requested a stream. */
  readonly stream: (turns: readonly AssembledTurn[], body: JsonObject, facts?: RequestFacts) => readonly Frame[];
}

/** Writes the responses of one format. */
export interface ResponseWriter {
  readonly stream: (facts?: RequestFacts) => StreamWriter;
  readonly body: BodyWriter;
}

/** Facts about the request of a response. */
export interface RequestFacts {
  /** The body. Undefined if it was not read. */
  readonly request: JsonObject | undefined;
  readonly provider?: string | undefined;
  /** The user agent of the client. */
  readonly agent?: string | undefined;
  /** The helper method of the SDK. */
  readonly helper?: Helper | undefined;
}

/** A method of an SDK that assembles responses itself, and the version of the SDK. */
export interface Helper {
  readonly method: string;
  readonly version?: string | undefined;
}

/** A frame as a server-sent event. */
export function eventOf({ value, event, isComment }: Frame): string {
  const data = JSON.stringify(value);
  if (isComment) return `: ${data}\n\n`;
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`;
}

/** The content of a frame as the model intended it. */
export interface FrameContent {
  readonly texts: readonly TextDelta[];
  readonly hasEnd: boolean;
}

export interface TextDelta {
  readonly type: "text" | "reasoning";
  readonly choice: number;
  readonly text: string;
}

/** True when a client reads exactly the calls that the model made. */
export function hasSameCalls(plain: readonly ClientTurn[], turns: readonly AssembledTurn[]): boolean {
  return (
    plain.length === turns.length &&
    plain.every(({ calls, isEnded }, t) => {
      const meant = turns[t]?.calls ?? [];
      return (
        isEnded &&
        calls.length === meant.length &&
        calls.every(({ id, name, arguments: text }, c) => {
          const call = meant[c];
          if (call === undefined || (id === "" ? !call.idGenerated : call.id !== id)) return false;
          return call.name === name && call.state === "ready" && isTextOf(call, text);
        })
      );
    })
  );
}

/** True when a text contains the arguments of a ready call, and not a string that contains them. */
function isTextOf({ arguments: args, raw, extras }: AssembledCall, text: string): boolean {
  // Usually the parsed text itself. The input of a custom tool is not JSON. A RegExp would keep the last text in memory.
  if (text === raw && text.trimStart().startsWith("{") && extras?.["type"] !== "custom") return true;
  return isJsonOf(text, args);
}

/** True for a text that contains this value as JSON, in any notation. */
export function isJsonOf(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false; // not JSON, or nested too deeply
  }
}

/** The text of a call's arguments as every client reads it. Text that is not JSON stays unchanged. */
export function argumentsText(call: AssembledCall): string {
  const { arguments: args, raw, state } = call;
  return state !== "ready" || isTextOf(call, raw) ? raw : JSON.stringify(args);
}

/** The value of a call's arguments, for formats that send no text. */
export function argumentsValue({ arguments: args, raw }: AssembledCall): unknown {
  const value = args ?? parseJson(raw);
  return value === undefined ? raw : value;
}

/** True if the provider sends ids for its calls. */
export const hasIds = ({ parts }: AssembledTurn): boolean =>
  parts.some((part) => part.type === "call" && !part.call.idGenerated);

/** True for an id that identifies a call: not a blank one, and not a null written as text. */
export const isId = (id: unknown): id is string => typeof id === "string" && id.trim() !== "" && id !== "null";

/** The index of each call in a list, by id. It may contain more calls than one version of the list. */
export type CallPlaces = Map<string, number>;

/** True if one of the calls has this id. Uses the index, because a turn may have thousands of calls. */
export const hasId = (calls: readonly { readonly id: string }[], places: CallPlaces, id: string): boolean =>
  calls[places.get(id) ?? calls.length]?.id === id;

/** True when two lists of text are equal, delta by delta. */
export const hasSameTexts = (one: readonly TextDelta[], other: readonly TextDelta[]): boolean =>
  one.length === other.length &&
  one.every(({ type, choice, text }, i) => {
    const delta = other[i];
    return delta?.type === type && delta.choice === choice && delta.text === text;
  });

/** The text of turns, each part as one delta. */
export const textsOfTurns = (turns: readonly AssembledTurn[]): readonly TextDelta[] =>
  turns.flatMap(({ parts }, choice) =>
    parts.flatMap((part): readonly TextDelta[] =>
      (part.type !== "text" && part.type !== "reasoning") || part.text === ""
        ? []
        : [{ type: part.type, choice, text: part.text }],
    ),
  );

/** The frames of a stream that is written from its start: text first, then calls and the end. */
export function streamOf(
  writer: StreamWriter,
  turns: readonly AssembledTurn[],
  { texts, held, template }: Draft,
): readonly Frame[] {
  const frames = texts.length === 0 ? [] : writer.writeText(texts, template);
  for (const frame of frames) writer.emitted(frame);
  return [...frames, ...writer.writeTurns(turns, held, template)];
}

interface Draft {
  readonly texts: readonly TextDelta[];
  /** Frames with the other content of the turn. */
  readonly held: readonly Frame[];
  readonly template: JsonObject;
}

/**
 * True for arguments that LangChain reads differently, because a number in them is incomplete: `-`, `1.` or `2e`.
 * LangChain's parser accepts truncated arguments, but is strict otherwise and reports what it rejects.
 */
export function hasHalfNumbers(text: string): boolean {
  let isFound = false;
  const whole = text.replaceAll(tokens, (token) => {
    if (token.startsWith('"')) return isText(token) ? '""' : token;
    const isHalf = !number.test(token) && (token === "-" || !Number.isNaN(Number.parseFloat(token)));
    isFound ||= isHalf;
    return isHalf ? " 0 " : token; // separated from adjacent text
  });
  return isFound && isObjectText(whole);
}

/** Strings, including an unclosed one, and candidates for numbers. */
const tokens = /"[^"\\]*(?:\\[^]?[^"\\]*)*"?|(?=[-\d])-?(?:0(?!\d)|[1-9]\d*)?(?:\.\d*)?(?:[eE][+-]?\d*)?/gu;
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u;

/** True for a closed string with only valid JSON escapes. */
function isText(token: string): boolean {
  const bare = token.replaceAll(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/gu, "");
  return bare.length > 1 && bare.endsWith('"') && !bare.includes("\\");
}

/** True for LangChain on OpenAI's SDK, which adds its name to every user agent. */
export const isLangChain = (facts: RequestFacts | undefined): boolean =>
  /\blangchainjs(?:-azure)?-openai\//u.test(facts?.agent ?? "");
