import type { AssembledCall, AssembledTurn } from "#core";

/** A frame as it is sent: its value, and the type of its event where the format names one. */
export interface Frame {
  readonly value: JsonObject;
  readonly event?: string | undefined;
  /** It is written as a comment, which every client reads over. */
  readonly isComment?: true;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** What a client that trusts the provider makes of an answer. */
export interface ClientTurn {
  /** The id is blank where the provider gives none and need not. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** The turn ends in the way that says what it holds. */
  readonly isEnded: boolean;
}

/** What was said in a turn, which need not be over. */
export type TextOfTurn = Pick<AssembledTurn, "text" | "reasoning" | "parts">;

/**
 * Tells whether an answer is written as the format asks, and writes it so. Every SDK reads that; of other ways to write the
 * same, each reads some. One is made for each stream, and hears of every frame once.
 */
export interface StreamWriter {
  /** True for a frame without calls in which every client finds what was read in it, and nothing else. */
  readonly isValid: (frame: Frame, content: FrameContent) => boolean;
  /** Takes note of a frame that the client gets to see, in the order in which it does. */
  readonly emitted: (frame: Frame) => void;
  /** Takes note of a frame that waits: it speaks of calls or of the end of the turn, or comes behind one that does. */
  readonly held: (frame: Frame) => void;
  /** All that waits passes as it came. */
  readonly released: () => void;
  /**
   * What a client makes of all frames that have waited, and of what it has seen, choice by choice; undefined where it would
   * trip.
   */
  readonly clientTurns: () => readonly ClientTurn[] | undefined;
  /** The client has tripped over what waits. */
  readonly isRejected: () => boolean;
  /** The stream is over and nothing of it is needed any more. */
  readonly dispose?: () => void;
  /** Writes calls while they come; formats in which they come whole have none. */
  readonly live?: LiveWriter;
  /** True for a frame that tells why the turn ends, in formats in which that is not yet its end. */
  readonly hasFinishReason?: (frame: Frame) => boolean;
  /** True for a frame with the reason for the end behind which servers have sent calls: it waits for what comes next. */
  readonly mayPrecedeCall?: (frame: Frame) => boolean;
  /** True for a frame with which a call is over: formats in which nothing says so have none. */
  readonly endsCall: (frame: Frame) => boolean;
  /** True for a frame that shows that a call which ended without arguments has none; left out, any frame does. */
  readonly confirmsCall?: (frame: Frame) => boolean;
  /** True for words of an answer that has not ended, where all others that have called have; left out, there is one answer. */
  readonly isOfOtherChoice?: (said: readonly TextDelta[]) => boolean;
  /** The client knows that the turn is over, in formats in which nothing can be said behind that. */
  readonly isEnded?: () => boolean;
  /** True for a frame with a piece of a call that clients read right and that says itself that more of it comes. */
  readonly announcesMore?: (frame: Frame) => boolean;
  /** Text that comes after calls waits for them: the parts of a turn are numbered. */
  readonly hasIndexedParts: boolean;
  /** True for arguments that are not a JSON object, which the client reads as others that are one; those without it read none so. */
  readonly misreads?: ((text: string) => boolean) | undefined;
  /** Frames that say pieces of text and reasoning, in place of one that is not sound. */
  readonly writeText: (said: readonly TextDelta[], like: JsonObject) => readonly Frame[];
  /** The same in place of this frame, with all else that it has; formats without it say again what was said. */
  readonly rewrite?: (frame: Frame, said: readonly TextDelta[]) => readonly Frame[];
  /** Frames with what was said and the client has not heard, without calls and without the end. */
  readonly writeRemainder?: (turn: TextOfTurn) => readonly Frame[];
  /** Frames with calls and the end of the turns, in place of those that wait, which are not sound. */
  readonly writeTurns: (
    turns: readonly AssembledTurn[],
    waiting: readonly Frame[],
    like: JsonObject,
  ) => readonly Frame[];
  /** A frame of somebody else's as the client reads over it, which may be as it came; those without it do so with all. */
  readonly toIgnorable?: (frame: Frame) => Frame;
  /** The text of a frame as it is sent. */
  readonly serialize: (frame: Frame) => string;
  /** What stands at the end of a stream that was written anew. */
  readonly endMarker: string;
}

/** Frames with pieces of calls, after what the client has. */
export interface LiveWriter {
  readonly begin: (call: LiveCall, like: JsonObject) => readonly Frame[];
  /** None where the call is over for the client. */
  readonly more: (call: LiveCall, text: string, like: JsonObject) => readonly Frame[];
  /** A call can only begin when the one before is over. */
  readonly isSequential: boolean;
  /** Servers have sent the name of a call in pieces. */
  readonly hasSplitNames: boolean;
}

export interface LiveCall {
  readonly id: string;
  readonly name: string;
  readonly choice: number;
  /** How many calls of the choice the client had before. */
  readonly index: number;
  /** Its input is text. */
  readonly isCustom: boolean;
  /** What else has come of it by now that only its format has. */
  readonly extras?: JsonObject | undefined;
}

/** The same for an answer that is one body. */
export interface BodyWriter {
  /** False for a body without calls in which clients do not find the text; left out, they always do. */
  readonly isTextVisible?: (body: JsonObject, asked?: RequestFacts) => boolean;
  readonly clientTurns: (body: JsonObject, asked?: RequestFacts) => readonly ClientTurn[] | undefined;
  readonly write: (turns: readonly AssembledTurn[], body: JsonObject, asked?: RequestFacts) => JsonObject;
  /** Frames that say what the body says, for a client that asked for a stream. */
  readonly stream: (turns: readonly AssembledTurn[], body: JsonObject, asked?: RequestFacts) => readonly Frame[];
}

/** What writes the answers of one format. */
export interface ResponseWriter {
  readonly stream: (asked?: RequestFacts) => StreamWriter;
  readonly body: BodyWriter;
}

/** What an answer answers: the body of the request, and who was asked, where that is known. */
export interface RequestFacts {
  /** Undefined where nobody has read it: then an answer to any request may be healthy. */
  readonly request: JsonObject | undefined;
  readonly provider?: string | undefined;
  /** What the client calls itself. */
  readonly agent?: string | undefined;
  /** The way in which the program uses the client, where that says so. */
  readonly helper?: Helper | undefined;
}

/** A method of an SDK that puts an answer together itself, and the version of the SDK. */
export interface Helper {
  readonly method: string;
  readonly version?: string | undefined;
}

/** A frame as server-sent event. */
export function eventOf({ value, event, isComment }: Frame): string {
  const data = JSON.stringify(value);
  if (isComment) return `: ${data}\n\n`;
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`;
}

/** What was read in a frame. */
export interface FrameContent {
  readonly texts: readonly TextDelta[];
  readonly hasEnd: boolean;
}

export interface TextDelta {
  readonly type: "text" | "reasoning";
  readonly choice: number;
  readonly text: string;
}

/** True when what a client reads is what was said. */
export function hasSameCalls(plain: readonly ClientTurn[], turns: readonly AssembledTurn[]): boolean {
  return (
    plain.length === turns.length &&
    plain.every(({ calls, isEnded }, t) => {
      const said = turns[t]?.calls ?? [];
      return (
        isEnded &&
        calls.length === said.length &&
        calls.every(({ id, name, arguments: text }, c) => {
          const call = said[c];
          if (call === undefined || (id === "" ? !call.idGenerated : call.id !== id)) return false;
          return call.name === name && call.state === "ready" && isTextOf(call, text);
        })
      );
    })
  );
}

/** True when a text is that of the arguments of a call that is ready, and not that of a text in which they stand. */
function isTextOf({ arguments: args, raw, extras }: AssembledCall, text: string): boolean {
  // What they were read from, nearly always; the input of a custom tool stands for itself.
  if (text === raw && /^\s*\{/u.test(text) && extras?.["type"] !== "custom") return true;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(args);
  } catch {
    return false;
  }
}

/** The text of a call's arguments as every client reads it; what is no JSON stays as it came. */
export function argumentsText(call: AssembledCall): string {
  const { arguments: args, raw, state } = call;
  return state !== "ready" || isTextOf(call, raw) ? raw : JSON.stringify(args);
}

/** The value of a call's arguments in formats that send no text; what is no object stays as it came. */
export function argumentsValue({ arguments: args, raw }: AssembledCall): unknown {
  if (args !== null) return args;
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    return raw; // it is no JSON
  }
}

/** True when the provider gives its calls ids: then each has one, else none needs one. */
export const hasIds = ({ parts }: AssembledTurn): boolean =>
  parts.some((part) => part.type === "call" && !part.call.idGenerated);

/** True for an id that says which call is meant: a blank one does not, nor a null that was written as text. */
export const isId = (id: unknown): id is string => typeof id === "string" && id.trim() !== "" && id !== "null";

/** Where calls stand in a list, by their ids. It may know more than the list has, which is one of several versions. */
export type CallPlaces = Map<string, number>;

/** True when one of the calls has an id. A turn may have thousands: they are not looked through for each. */
export const hasId = (calls: readonly { readonly id: string }[], places: CallPlaces, id: string): boolean =>
  calls[places.get(id) ?? calls.length]?.id === id;

/** True when two say the same, piece by piece. */
export const hasSameTexts = (one: readonly TextDelta[], other: readonly TextDelta[]): boolean =>
  one.length === other.length &&
  one.every(({ type, choice, text }, i) => {
    const said = other[i];
    return said?.type === type && said.choice === choice && said.text === text;
  });

/** What was said in turns, each text as one piece. */
export const textsOfTurns = (turns: readonly AssembledTurn[]): readonly TextDelta[] =>
  turns.flatMap(({ parts }, choice) =>
    parts.flatMap((part): readonly TextDelta[] =>
      (part.type !== "text" && part.type !== "reasoning") || part.text === ""
        ? []
        : [{ type: part.type, choice, text: part.text }],
    ),
  );

/** The frames of a stream that is written from its beginning: what is said first, and then calls and the end. */
export function streamOf(
  cleaner: StreamWriter,
  turns: readonly AssembledTurn[],
  { said, waiting, like }: Draft,
): readonly Frame[] {
  const frames = said.length === 0 ? [] : cleaner.writeText(said, like);
  for (const frame of frames) cleaner.emitted(frame);
  return [...frames, ...cleaner.writeTurns(turns, waiting, like)];
}

interface Draft {
  readonly said: readonly TextDelta[];
  /** Frames with what else the turn has. */
  readonly waiting: readonly Frame[];
  readonly like: JsonObject;
}
