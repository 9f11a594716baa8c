import type { Assembly } from "#core";

/** Reads the frames of one format into an assembly, one after the other. It takes whatever comes. */
export interface StreamDecoder {
  /** A frame that was JSON, and the type of its event. */
  frame(value: Readonly<Record<string, unknown>>, event: string | undefined): void;
  /** True for a frame in which nothing was read, and which is none of the format for all that is known. */
  readonly isForeign?: (value: Readonly<Record<string, unknown>>) => boolean;
  /** Nothing more comes. */
  end?(): void;
}

export type CreateDecoder = (assembly: Assembly) => StreamDecoder;
