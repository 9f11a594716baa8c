import type { Turn } from "../scripted-turn.ts";

/** A JSON object of the wire, which faults may change. */
export type Wire = Record<string, unknown>;

/** One frame of a stream. */
export interface Frame {
  readonly event?: string;
  readonly data: Wire;
  /** In a chat stream: the number of the call of this delta, regardless of its fields. */
  readonly call?: number;
}

/** A turn as a stream of one format, before it becomes bytes. */
export interface Played {
  frames: Frame[];
  /** The text after the last frame, if the format has one. */
  end: string;
  /** In a chat stream: the index of the choice is the number of the chunk. */
  countsChoices: boolean;
  /** How frames become text. */
  transport: Transport;
}

export interface Transport {
  /** `lines`: one JSON value a line; `list`: the values of one JSON list; `events`: Amazon's binary events. */
  kind: "sse" | "lines" | "list" | "events";
  newline: "\n" | "\r\n" | "\r";
  /** The text before the data of an event. */
  prefix: string;
  /** The text before the first frame. */
  before: string;
  /** The text between two frames. */
  between: string;
  /** The number of bytes per write; undefined for one frame. */
  pieceSize: number | undefined;
  /** The connection breaks after this fraction of the bytes. */
  cutAt: number | undefined;
  /** The connection ends there without an error. */
  cutQuietly: boolean;
  /** Set for a response with one JSON body. */
  whole: Wire | undefined;
}

/** How one format plays a turn. */
export interface Player {
  readonly stream: (turn: Turn) => Played;
  /** The response without streaming. */
  readonly body: (turn: Turn) => Wire;
}

/** A stream without faults. */
export function playedAs(frames: Frame[], end: string, kind: Transport["kind"] = "sse"): Played {
  const transport: Transport = {
    kind,
    newline: "\n",
    prefix: "data: ",
    before: "",
    between: "",
    pieceSize: undefined,
    cutAt: undefined,
    cutQuietly: false,
    whole: undefined,
  };
  return { frames, end, countsChoices: false, transport };
}
