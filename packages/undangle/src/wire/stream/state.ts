import type { ClientTurn, Frame, ReadFrame } from "#codecs";
import type { Slot } from "#core";

/**
 * A stream that is being repaired.
 *
 *     passing ──call──▶ holding ──calls complete──▶ passing
 *                          └──cannot pass (live)──▶ rewriting
 *     any ──content after the end of the turn──▶ overrun
 *     any ──the provider reports an error──▶ failed
 */
export type StreamState = Passing | Holding | Rewriting | Overrun | Failed;

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

/** The provider reported an error. It passes, and the calls of its turn do not. */
interface Failed extends Emitted {
  readonly phase: "failed";
  readonly before: Exclude<StreamState["phase"], "failed">;
  /** The body has to end in an error: clients of the format do not see the reported one, or it came with a call. */
  readonly mustBreak: boolean;
  /**
   * Clients read on: in the chat format, usage may follow a finish reason. After other errors SDKs read nothing, and some keep a
   * connection open that the server does not close.
   */
  readonly mayContinue: boolean;
}

interface Emitted {
  /** The end of the turn arrived. */
  readonly isTurnOver: boolean;
  /** A finish reason arrived, in formats in which the end follows it. */
  readonly hasFinishReason: boolean;
  /** The turns with the calls that passed as they arrived. */
  readonly released: readonly ClientTurn[];
  /** A part of a call passed, so that the call cannot be repaired any more. */
  readonly hasPartialCall: boolean;
}

export const initialState: StreamState = {
  phase: "passing",
  isTurnOver: false,
  hasFinishReason: false,
  released: [],
  hasPartialCall: false,
};

/** The phase, regardless of an error. */
export const phaseOf = (state: StreamState): Failed["before"] =>
  state.phase === "failed" ? state.before : state.phase;

/** An event of the stream's format. */
export interface FrameEvent extends Pick<ReadFrame, "texts" | "hasCall" | "hasEnd" | "slots"> {
  readonly type: "frame";
  readonly frame: Frame;
  /** Every client reads the event in the same way, so that its bytes may pass. */
  readonly isCanonical: boolean;
}

/** An event that reports an error of the provider, or follows one. */
export interface ErrorEvent {
  readonly type: "error";
  readonly read: readonly ReadFrame[];
  readonly isCanonical: boolean;
  readonly hasCall: boolean;
  /** It reports another error than a finish reason. */
  readonly isError: boolean;
  /** The finish reason is the error. */
  readonly isFinishReason: boolean;
  /** Clients recognise the error. */
  readonly isVisible: boolean;
}

export type StreamEvent =
  | FrameEvent
  /** An event follows a held finish reason. */
  | { readonly type: "next"; readonly hasCall: boolean }
  | ErrorEvent
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
  /** Writes what has to precede an error. */
  | { readonly do: "write-before-error" }
  /** Passes the event with the error, under the name by which clients recognise it. */
  | { readonly do: "pass-error"; readonly of: ErrorEvent }
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
