import type { Assembly } from "#core";

/** Reads the frames of one format into an assembly, one after the other. It takes whatever comes. */
export interface StreamDecoder {
  /** A frame that was JSON, and the type of its event. */
  frame(value: Readonly<Record<string, unknown>>, event: string | undefined): void;
  /**
   * What the frame that was read just now says, if that is one piece of text and nothing else. Whatever is returned serves
   * until another frame is read.
   */
  readonly repeatable?: (value: Readonly<Record<string, unknown>>) => Repeatable | undefined;
  /**
   * What comes behind the frame that was read just now, where that begins a call: frames with pieces of its arguments, like
   * those of the call before but for its index.
   */
  readonly next?: (value: Readonly<Record<string, unknown>>) => Continuation | undefined;
  /** True for a frame in which nothing was read, and which is none of the format for all that is known. */
  readonly isForeign?: (value: Readonly<Record<string, unknown>>) => boolean;
  /** Nothing more comes. */
  end?(): void;
}

/** A frame that says one piece of text. */
export interface Repeatable {
  /** The key under which the text stands. */
  readonly key: string;
  readonly text: string;
  /** Where it is a piece of a call that stands under an index: that. */
  readonly index?: number;
  /** Reads a frame that differs from this one in the text alone. */
  readonly again: (text: string) => void;
}

/** A frame that is one that says a piece of a call, but for its index and its text. */
export type Continuation = Required<Omit<Repeatable, "text">>;

export type CreateDecoder = (assembly: Assembly) => StreamDecoder;
