import type { ClientTurn, Frame, ReadFrame } from "#codecs";
import type { Slot } from "#core";

/**
 * A stream that is being repaired.
 *
 *     passing ──call──▶ holding ──calls complete──▶ passing
 *                          └──cannot pass (live)──▶ rewriting
 *     any ──content after the end of the turn──▶ overrun
 */
export type StreamState = Passing | Holding | Rewriting | Overrun;

/** Events pass as they arrive. */
interface Passing extends Emitted {
  readonly phase: "passing";
  /** A finish reason that is held for one event, because some servers send a call after it. */
  readonly finish?: Frame;
}

/** Events with calls are held until the calls are complete. Then they pass as they arrived, or are written from the assembly. */
export interface Holding extends Emitted {
  readonly phase: "holding";
  /** The held events may still pass as they arrived. */
  readonly isIntact: boolean;
  /** The held calls were found incomplete, and nothing was held since. */
  readonly isChecked: boolean;
  /** The held events contain text that does not depend on the calls. */
  readonly hasText: boolean;
  /** The held events contain the end of the turn. */
  readonly hasEnd: boolean;
}

/** Calls are written from the assembly as they arrive (`toolCalls: "stream"`). No event with a call passes any more. */
interface Rewriting extends Emitted {
  readonly phase: "rewriting";
}

/** Content arrived after the client saw the end of the turn. The response ends in an error. */
interface Overrun extends Emitted {
  readonly phase: "overrun";
}

interface Emitted {
  /** The turns with the calls that passed as they arrived. */
  readonly released: readonly ClientTurn[];
  /** A part of a call passed, so that the call cannot be repaired any more. */
  readonly hasPartialCall: boolean;
}

export const initialState: StreamState = { phase: "passing", released: [], hasPartialCall: false };

/** An event of the stream's format. */
export interface FrameEvent extends Pick<ReadFrame, "texts" | "hasCall" | "hasEnd" | "slots"> {
  readonly type: "frame";
  readonly frame: Frame;
  /** Every client reads the event in the same way, so that its bytes may pass. */
  readonly isCanonical: boolean;
}

export type StreamEvent =
  | FrameEvent
  /** An event follows a held finish reason. */
  | { readonly type: "next"; readonly hasCall: boolean }
  /** An event could not be read, and a call may lack it. */
  | { readonly type: "loss" }
  // The rest follows from effects: the next decision depends on what the strict client made of a frame.
  | { readonly type: "held" | "shown" | "call-ended" | "call-closed"; readonly of: FrameEvent };

export type Effect =
  /** Passes the event, or writes its content if a strict client would not find it there. */
  | { readonly do: "pass"; readonly of: FrameEvent }
  /** Holds the event, and shows its frame to the strict client. */
  | { readonly do: "hold"; readonly of: FrameEvent }
  /** Holds the bytes of a finish reason. */
  | { readonly do: "hold-finish" }
  /** The client gets the held finish reason. */
  | { readonly do: "emit-finish"; readonly frame: Frame }
  /** The held finish reason stays held, with the calls that follow it. */
  | { readonly do: "keep-finish"; readonly frame: Frame }
  /** All held events pass as they arrived. */
  | { readonly do: "release" }
  /** All held bytes pass, and the last call continues. */
  | { readonly do: "release-part" }
  /** Writes the text in held events, which will not pass any more. */
  | { readonly do: "write-held-text" }
  // Live calls:
  /** Shows the frame to the strict client, before it passes or is held. */
  | { readonly do: "show"; readonly of: FrameEvent }
  | { readonly do: "pass-live"; readonly of: FrameEvent }
  | { readonly do: "hold-live"; readonly of: FrameEvent }
  /** Writes the text of held events and of this one, which may be one of them, and what the client lacks of its calls. */
  | { readonly do: "write-live"; readonly of: FrameEvent; readonly isHeld: boolean }
  | { readonly do: "end-live" }
  /** Waits for arguments after the end of a call that has none. */
  | { readonly do: "await-arguments" }
  | { readonly do: "close-arguments"; readonly slot: Slot }
  /** Decides about an event after the effects before this one. */
  | { readonly do: "then"; readonly event: StreamEvent };
