import type { Assembly, JsonObject } from "#core";

/** Decodes the frames of one format into an assembly, in order. It never throws on malformed frames. */
export interface StreamDecoder {
  /** Receives a parsed frame and its event name. */
  frame(value: JsonObject, event: string | undefined): void;
  /** True for a frame without readable content that does not belong to the format. */
  readonly isForeign?: (value: JsonObject) => boolean;
  /** Called at the end of the stream. */
  end?(): void;
}

export type CreateDecoder = (assembly: Assembly) => StreamDecoder;
