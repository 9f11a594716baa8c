import type { ClientTurn, FrameReader, StreamDialect, StreamWriter } from "#codecs";
import { isObjectText } from "#core";
import type { Slot } from "#core";

import { afterError, isOverrun } from "./failure-reasons.ts";
import type { LiveCalls } from "./live-calls.ts";
import { phaseOf } from "./state.ts";
import type { Effect, ErrorEvent, FrameEvent, Holding, StreamEvent, StreamState } from "./state.ts";

/** What a transition may look at. It changes none of it. */
export interface Facts {
  readonly reader: Pick<FrameReader, "isIncomplete" | "isPlainName">;
  readonly writer: StreamWriter;
  readonly dialect: Pick<StreamDialect, "readsAfterError">;
  /** With `toolCalls: "stream"`, in formats that can write a call in parts. */
  readonly live: LiveCalls | undefined;
  /** With `toolCalls: "stream"`. */
  readonly isLive: boolean;
}

type Transition = readonly [state: StreamState, effects: readonly Effect[]];

/** What becomes of an event: the next state, and what is done now. */
export function transition(state: StreamState, event: StreamEvent, facts: Facts): Transition {
  switch (event.type) {
    case "frame":
      return onFrame(withEnd(state, event, facts), event, facts);
    case "error":
      return onError(state, event, facts);
    case "next":
      return onNext(state, event.hasCall, facts);
    case "loss":
      return [withoutIntegrity(state), []];
    case "held":
      return onHeld(state, event.of, facts);
    case "shown":
      return onShown(state, event.of, facts);
    case "call-ended":
      return onCallEnded(state, event.of, facts);
    case "call-closed":
      return facts.live !== undefined && outlook(facts.live, event.of) === "unfit"
        ? rewriting(state, event.of, { isHeld: true })
        : [state, []];
    default:
      return [state, event satisfies never];
  }
}

function onFrame(state: StreamState, event: FrameEvent, facts: Facts): Transition {
  const { writer, reader } = facts;
  const { hasCall, hasEnd, texts } = event;
  if (state.phase === "overrun" || isOverrun(event, writer)) {
    return [{ ...without(state), phase: "overrun" }, []];
  }
  const live = reader.isIncomplete() ? undefined : facts.live; // a call that may lack a delta does not continue
  if (live !== undefined) {
    const decided = onLiveFrame(state, event, live, facts);
    if (decided !== undefined) return decided;
  }
  const isText = texts.length > 0 && !hasCall && !hasEnd;
  if (isText && state.phase === "holding") {
    if (live !== undefined && canSettle(state, event, live, facts)) return settled(state, event, live, facts);
    // More calls may follow a held end, and only one end may be the last. Text of another choice shows nothing about that.
    const mayCheck = writer.hasIndexedParts || !state.hasEnd || writer.isOfOtherChoice(texts);
    const turns = mayCheck ? completeTurns(state, facts) : undefined;
    if (turns !== undefined) return released(state, turns, [{ do: "then", event }]);
    if (mayCheck) return onUnsettled({ ...state, isChecked: true }, event, facts);
  }
  return onUnsettled(state, event, facts);
}

/** The first error decides whether the body has to end in one. */
function onError(state: StreamState, event: ErrorEvent, { dialect }: Facts): Transition {
  const pass: readonly Effect[] = event.hasCall ? [] : [{ do: "pass-error", of: event }];
  if (state.phase === "failed") return [{ ...state, mayContinue: state.mayContinue && !event.isError }, pass];
  const failed = { ...without(state), phase: "failed", before: phaseOf(state), ...afterError(event, dialect) } as const;
  return [failed, [{ do: "write-before-error" }, ...pass]];
}

/** Passes or holds an event, after the held calls that it shows to be complete were released. */
function onUnsettled(state: StreamState, event: FrameEvent, facts: Facts): Transition {
  const { writer } = facts;
  const { hasCall, hasEnd, texts } = event;
  const isText = texts.length > 0 && !hasCall && !hasEnd;
  const isHolding = state.phase !== "passing" || hasCall || endsWithCalls(event, facts);
  if (!isHolding) return passed(state, event, facts);
  const held = state.phase === "passing" ? holding(state, facts) : state;
  if (!isText || writer.hasIndexedParts || isBetweenCalls(held, event, facts)) return heldWith(held, event, facts);
  return [withHeldTextWritten(held), [{ do: "write-held-text" }, { do: "pass", of: event }]];
}

function passed(state: StreamState, event: FrameEvent, { writer }: Facts): Transition {
  const { frame, texts, hasEnd, isCanonical } = event;
  const mayPrecedeCall = isCanonical && hasEnd && texts.length === 0 && writer.mayPrecedeCall(frame);
  if (mayPrecedeCall && isValid(event, writer)) {
    return [{ ...state, phase: "passing", finish: frame }, [{ do: "hold-finish" }]];
  }
  return [state, [{ do: "pass", of: event }]];
}

const holding = (state: StreamState, { reader }: Facts): Holding => ({
  ...without(state),
  phase: "holding",
  isIntact: !reader.isIncomplete(),
  isChecked: true,
  hasText: false,
  hasEnd: false,
});

function heldWith(state: StreamState, event: FrameEvent, { writer }: Facts): Transition {
  const effects: readonly Effect[] = [
    { do: "hold", of: event },
    { do: "then", event: { type: "held", of: event } },
  ];
  if (state.phase !== "holding") return [state, effects];
  const hasText = state.hasText || (!writer.hasIndexedParts && event.texts.length > 0);
  const isIntact = state.isIntact && event.isCanonical;
  return [{ ...state, hasText, isIntact, isChecked: false, hasEnd: state.hasEnd || event.hasEnd }, effects];
}

function onHeld(state: StreamState, event: FrameEvent, facts: Facts): Transition {
  const { writer, isLive } = facts;
  if (writer.endsCall(event.frame)) {
    const turns = completeTurns(state, facts);
    return turns === undefined ? [checked(state), []] : released(state, turns);
  }
  if (isLive && writer.announcesMore(event.frame) && isIntact(state, facts) && hasPlainNames(event, facts)) {
    return [{ ...withoutHeldText(state), hasPartialCall: true }, [{ do: "release-part" }]];
  }
  return [state, []];
}

/** A held finish reason passes, unless a call follows it. */
function onNext(state: StreamState, hasCall: boolean, facts: Facts): Transition {
  if (state.phase !== "passing" || state.finish === undefined) return [state, []];
  const { finish, ...rest } = state;
  if (!hasCall) return [rest, [{ do: "emit-finish", frame: finish }]];
  const held = { ...holding(rest, facts), isChecked: false, hasEnd: true };
  return [held, [{ do: "keep-finish", frame: finish }]];
}

/** The turns of a strict client, if it has all held calls in the way the model meant them. */
function completeTurns(state: StreamState, { writer, reader }: Facts): readonly ClientTurn[] | undefined {
  if (state.phase !== "holding" || state.isChecked || !state.isIntact) return undefined;
  const turns = writer.clientTurns();
  const calls = turns?.flatMap((turn, t) => turn.calls.slice(state.released[t]?.calls.length ?? 0)) ?? [];
  const areComplete = calls.length > 0 && calls.every((call) => isObjectText(call.arguments));
  return areComplete && calls.every(({ name }) => reader.isPlainName(name)) ? turns : undefined;
}

const released = (state: StreamState, turns: readonly ClientTurn[], effects: readonly Effect[] = []): Transition => [
  { ...without(state), phase: "passing", released: turns, hasPartialCall: false },
  [{ do: "release" }, ...effects],
];

// Live calls

/** Passes, holds or rewrites a frame of a call that the client sees while it arrives. Undefined for all other frames. */
function onLiveFrame(state: StreamState, event: FrameEvent, live: LiveCalls, facts: Facts): Transition | undefined {
  const { writer } = facts;
  const { frame, hasCall, hasEnd } = event;
  if (hasCall || (live.hasBegun() && writer.endsCall(frame) && !isValid(event, writer))) {
    if (canSettle(state, event, live, facts)) return settled(state, event, live, facts);
    if (!canPassLive(state, event, live, facts)) return rewriting(state, event);
    if (!hasEnd)
      return [
        state,
        [
          { do: "show", of: event },
          { do: "then", event: { type: "shown", of: event } },
        ],
      ];
    return undefined; // the end is held until everything is known
  }
  if (live.isHeldAtEnd() && writer.confirmsCall(frame) && canSettle(state, event, live, facts)) {
    return settled(state, event, live, facts); // the event does not belong to the call
  }
  const isInterrupted = live.openSlot() !== undefined && !live.isHeldAtEnd();
  return isInterrupted && !hasEnd && !isValid(event, writer) ? rewriting(state, event) : undefined;
}

/** True for an event that may pass as it arrived, at once or when later events show that it is right. */
function canPassLive(state: StreamState, event: FrameEvent, live: LiveCalls, facts: Facts): boolean {
  const { texts, slots, hasEnd, isCanonical } = event;
  const isOpen = state.phase === "holding" && !state.hasEnd && outlook(live, event) === "open";
  if (state.phase !== "passing" && !isOpen) return false;
  const fitness = live.fitness(slots);
  const isFit =
    texts.length === 0 ? fitness !== "unfit" : fitness === "fit" && !isOpen && !hasEnd && !facts.writer.hasIndexedParts; // text does not wait
  return isFit && isCanonical && hasPlainNames(event, facts);
}

function onShown(state: StreamState, event: FrameEvent, facts: Facts): Transition {
  const { live, writer } = facts;
  if (live === undefined || writer.isRejected()) return rewriting(state, event);
  const endsCall = writer.endsCall(event.frame);
  const isCertain = state.phase === "passing" && live.fitness(event.slots) === "fit";
  if (isCertain && !endsCall) return [state, [{ do: "pass-live", of: event }]];
  const held = state.phase === "holding" ? state : holding(state, facts);
  const then: readonly Effect[] = endsCall ? [{ do: "then", event: { type: "call-ended", of: event } }] : [];
  return [held, [{ do: "hold-live", of: event }, ...then]];
}

/** The end of a live call passes if the call is complete. Arguments may still follow the end of a call that has none. */
function onCallEnded(state: StreamState, event: FrameEvent, facts: Facts): Transition {
  const { live } = facts;
  const turns = completeTurns(unchecked(state), facts);
  if (turns !== undefined) return released(state, turns, [{ do: "end-live" }]);
  if (live === undefined) return [checked(state), []];
  const open = live.openSlot();
  if (open === undefined) return onParallelCallEnded(checked(state), event, live, facts);
  if (textOf(open).trim() === "") return [checked(state), [{ do: "await-arguments" }]];
  return [
    checked(state),
    [
      { do: "close-arguments", slot: open },
      { do: "then", event: { type: "call-closed", of: event } },
    ],
  ];
}

/** The end of one of several parallel calls passes before the others end, unless one of them is doubtful. */
function onParallelCallEnded(state: StreamState, event: FrameEvent, live: LiveCalls, facts: Facts): Transition {
  const isComplete = (slot: Slot): boolean => slot.isFreeText || isObjectText(textOf(slot));
  const areComplete = isIntact(state, facts) && event.slots.length > 0 && event.slots.every(isComplete);
  const isDoubtful = outlook(live, event) === "open";
  if (areComplete && !isDoubtful) return [{ ...without(state), phase: "passing" }, [{ do: "release" }]];
  return isDoubtful && !areComplete ? rewriting(state, event, { isHeld: true }) : [state, []];
}

/** True if an event shows that the held calls, which were doubtful, are right. */
function canSettle(state: StreamState, event: FrameEvent, live: LiveCalls, { writer }: Facts): boolean {
  if (state.phase === "rewriting" || (state.phase === "holding" && (state.hasEnd || !state.isIntact))) return false;
  return !writer.isRejected() && outlook(live, event) === "clear";
}

/** The held calls pass. Then the event is decided. */
function settled(state: StreamState, event: FrameEvent, live: LiveCalls, { writer }: Facts): Transition {
  const turns = live.isHeldAtEnd() ? (writer.clientTurns() ?? state.released) : state.released;
  return [{ ...without(state), phase: "passing", released: turns }, [{ do: "release" }, { do: "then", event }]];
}

const rewriting = (state: StreamState, event: FrameEvent, { isHeld = false } = {}): Transition => [
  { ...without(state), phase: "rewriting" },
  [{ do: "write-live", of: event, isHeld }],
];

/** True for text between doubtful calls. It is held with them, so that everything passes in its order. */
const isBetweenCalls = (state: StreamState, event: FrameEvent, { live, reader, writer }: Facts): boolean =>
  live !== undefined &&
  !reader.isIncomplete() &&
  !(state.phase === "holding" && state.hasEnd) &&
  outlook(live, event) === "open" &&
  event.isCanonical &&
  isValid(event, writer);

// Questions about events and states

/** True for the end of a turn with calls, of one whose calls may be lost, and for an end that has to be rewritten. */
function endsWithCalls(event: FrameEvent, { live, reader, writer }: Facts): boolean {
  const hasLiveCalls = live?.hasBegun() === true;
  if (event.hasEnd) return hasLiveCalls || reader.isIncomplete() || !isValid(event, writer);
  return reader.isIncomplete() && hasLiveCalls && !isValid(event, writer);
}

/** A strict client finds in the frame what the model meant, and nothing else. */
const isValid = ({ frame, texts, hasEnd }: FrameEvent, writer: StreamWriter): boolean =>
  writer.isValid(frame, { texts, hasEnd });

const hasPlainNames = ({ slots }: FrameEvent, { reader }: Facts): boolean =>
  slots.every(({ name }) => name === "" || reader.isPlainName(name));

const outlook = (live: LiveCalls, { slots, texts }: FrameEvent): ReturnType<LiveCalls["outlook"]> =>
  live.outlook({ slots, hasText: texts.length > 0 });

const textOf = ({ fragments }: Slot): string => fragments.join("");

/** The held events may pass as they arrived. */
export const isIntact = (state: StreamState, { reader }: Pick<Facts, "reader">): boolean =>
  state.phase === "holding" ? state.isIntact : phaseOf(state) !== "rewriting" && !reader.isIncomplete();

const checked = (state: StreamState): StreamState =>
  state.phase === "holding" ? { ...state, isChecked: true } : state;

const unchecked = (state: StreamState): StreamState =>
  state.phase === "holding" ? { ...state, isChecked: false } : state;

const withoutIntegrity = (state: StreamState): StreamState =>
  state.phase === "holding" ? { ...state, isIntact: false } : state;

/** Text of held events was written, so that those cannot pass any more. */
const withHeldTextWritten = (state: StreamState): StreamState =>
  state.phase === "holding" && state.hasText ? { ...state, hasText: false, isIntact: false } : state;

const withoutHeldText = (state: StreamState): StreamState =>
  state.phase === "holding" ? { ...state, hasText: false } : state;

/** The state without what only its phase has. */
const without = ({ isTurnOver, hasFinishReason, released, hasPartialCall }: StreamState) => ({
  isTurnOver,
  hasFinishReason,
  released,
  hasPartialCall,
});

function withEnd(state: StreamState, { frame, hasEnd }: FrameEvent, { writer }: Facts): StreamState {
  const isTurnOver = state.isTurnOver || hasEnd;
  const hasFinishReason = state.hasFinishReason || writer.hasFinishReason(frame);
  const isSame = isTurnOver === state.isTurnOver && hasFinishReason === state.hasFinishReason;
  return isSame ? state : { ...state, isTurnOver, hasFinishReason };
}
