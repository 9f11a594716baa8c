import type { WireFormat } from "undangle/testing";
import type { Format } from "../judge/subject.ts";

/** A program that talks with a model, in the way that the documentation of its SDK shows. */
export interface Program {
  readonly name: string;
  readonly format: WireFormat;
  /** The format of its messages. */
  readonly history: Format;
  /** Begins a conversation, or goes on with what an earlier run has saved. */
  readonly open: (line: Line, saved?: readonly unknown[]) => Conversation;
  /** True: its SDK refuses histories itself, before it asks anybody. */
  readonly isStrict?: boolean;
  /** True: its SDK leaves the connection open when a program breaks out of its loop, so that a signal has to end it. */
  readonly needsSignal?: boolean;
  /** Messages as they are written into a file; left out, as they are. */
  readonly save?: (messages: readonly unknown[]) => readonly unknown[];
}

/** Goes on with a conversation in another process: all that is left of it is what was saved. */
export function restart({ open, save = (messages) => messages }: Program, line: Line, messages: readonly unknown[]) {
  const file = JSON.stringify(save(messages));
  return open(line, JSON.parse(file) as readonly unknown[]); // it was a list
}

/** Where a program sends its requests. */
export interface Line {
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  /** Is told every piece of an answer by programs without an SDK. */
  readonly onBytes?: (bytes: Uint8Array) => void;
  /** True: nothing of Undangle's has a part in it. */
  readonly isBare?: boolean;
}

export interface Conversation {
  /** The history, in the words of the SDK; whoever holds it may do damage to it. */
  readonly messages: unknown[];
  /** Adds what the user says. */
  readonly say: (text: string) => void;
  /** Sends the history and adds the answer, or what was heard of it. Throws nothing: what went wrong is in the answer. */
  readonly ask: (listening?: Listening) => Promise<Answer>;
  /** Adds the results of tools, all at once. */
  readonly answer: (results: readonly Result[]) => void;
}

export interface Listening {
  readonly signal?: AbortSignal;
  /** Is told every piece of text and reasoning. */
  readonly onText?: (text: string) => void;
  /** Asked after every event, with what was heard so far: true stops listening. */
  readonly isEnough?: (heard: Heard) => boolean;
}

/** What was heard of an answer. */
export interface Heard {
  readonly text: string;
  readonly calls: readonly HeardCall[];
}

export interface HeardCall {
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** A value, or the text of one. */
  readonly arguments: unknown;
}

export interface Answer extends Heard {
  /** What was thrown. */
  readonly error?: Error;
}

/** What was thrown, as a part of an answer. */
export const failureOf = (error: unknown): Required<Pick<Answer, "error">> => ({
  error: error instanceof Error ? error : new Error(JSON.stringify(error)),
});

export interface Result {
  readonly call: HeardCall;
  readonly text: string;
}

export const toolNames = ["find_book", "open_file", "ping"];
export const parameters = { type: "object", properties: {}, additionalProperties: true } as const;
