import type { Assembly } from "#core";

/** Reads the frames of one format into an assembly, one after the other. It takes whatever comes. */
export interface StreamDecoder {
  /** A frame that was JSON, and the type of its event. */
  frame(value: Readonly<Record<string, unknown>>, event: string | undefined): void;
  /** Nothing more comes. */
  end?(): void;
}

export type CreateDecoder = (assembly: Assembly) => StreamDecoder;
