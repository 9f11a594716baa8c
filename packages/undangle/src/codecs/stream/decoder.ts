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
  /** Nothing more comes. */
  end?(): void;
}

/** A frame that says one piece of text. */
export interface Repeatable {
  /** The key under which the text stands. */
  readonly key: string;
  readonly text: string;
  /** Reads a frame that differs from this one in the text alone. */
  readonly again: (text: string) => void;
}

export type CreateDecoder = (assembly: Assembly) => StreamDecoder;
