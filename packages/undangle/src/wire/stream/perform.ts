import type { Frame, FrameReader, StreamDialect, StreamWriter, TextDelta } from "#codecs";
import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { Exchange } from "../reporter.ts";
import type { LiveCalls } from "./live-calls.ts";
import type { OutputBuffer } from "./output-buffer.ts";
import { phaseOf } from "./state.ts";
import type { Effect, ErrorEvent, StreamEvent, StreamState } from "./state.ts";
import { transition } from "./transition.ts";
import type { UnrelatedEvents } from "./unrelated-events.ts";

/** A stream with everything that works on it. */
export interface StreamRepair extends Parts {
  state: StreamState;
  /** The last frame, from which others are written. */
  readonly template: Template;
  /** The last frame that passed as it arrived. */
  passed: Frame | undefined;
  /** The held frames, and their text that does not depend on calls. */
  readonly held: { frames: Frame[]; texts: TextDelta[] };
  /** An event was written in another way, or removed. */
  isChanged: boolean;
}

interface Template {
  readonly get: () => JsonObject;
  readonly set: (value: JsonObject) => void;
  /** The last frame is in an event that was not parsed. */
  readonly setRaw: (event: string) => void;
}

export function createTemplate(): Template {
  let value: JsonObject = {};
  let raw: string | undefined;
  return {
    get() {
      if (raw !== undefined) value = JSON.parse(raw.slice(raw.indexOf("{"))) as JsonObject; // a pattern has matched it
      raw = undefined;
      return value;
    },
    set(given) {
      value = given;
      raw = undefined;
    },
    setRaw(event) {
      raw = event;
    },
  };
}

interface Parts {
  readonly exchange: Exchange;
  readonly isList: boolean;
  /** With `toolCalls: "stream"`. */
  readonly isLive: boolean;
  /** What the model meant. */
  readonly reader: FrameReader;
  /** What a strict client makes of the output, and how frames are written for it. */
  readonly writer: StreamWriter;
  readonly output: OutputBuffer;
  readonly unrelated: UnrelatedEvents;
  readonly live: LiveCalls | undefined;
  readonly dialect: StreamDialect;
}

/** Changes the state and performs the effects. */
export function run(repair: StreamRepair, event: StreamEvent): void {
  const [state, effects] = transition(repair.state, event, repair);
  repair.state = state;
  for (const effect of effects) perform(repair, effect);
}

function perform(repair: StreamRepair, effect: Effect): void {
  const { writer, output, unrelated, live, held } = repair;
  switch (effect.do) {
    case "then":
      return run(repair, effect.event);
    case "pass":
      return pass(repair, effect.of);
    case "hold": {
      const { frame, texts, slots, hasCall, isCanonical: isWhole } = effect.of;
      if (!writer.hasIndexedParts) held.texts.push(...texts);
      if (isWhole) output.hold();
      keep(repair, frame);
      writer.held(frame);
      if (hasCall) live?.held(slots);
      return undefined;
    }
    case "hold-finish":
      return output.hold();
    case "emit-finish":
      writer.emitted(effect.frame);
      return unrelated.release();
    case "keep-finish":
      held.frames.push(effect.frame);
      return writer.held(effect.frame);
    case "release":
      writer.released();
      unrelated.release();
      live?.released();
      held.frames = [];
      held.texts = [];
      return undefined;
    case "release-part":
      unrelated.release();
      held.frames = [];
      held.texts = [];
      return undefined;
    case "write-held-text":
      return writeHeldText(repair);
    case "write-before-error":
      writeHeldText(repair);
      if (phaseOf(repair.state) !== "passing") writeFrames(repair, writer.writeRemainder(repair.reader.textSoFar()));
      return unrelated.releaseRest();
    case "pass-error":
      for (const text of passError(repair, effect.of)) rewrite(repair, text);
      return undefined;
    case "show":
      repair.template.set(effect.of.frame.value);
      return writer.held(effect.of.frame);
    case "pass-live":
      writer.released();
      output.pass();
      return live?.emitted(effect.of.slots);
    case "hold-live":
      output.hold();
      keep(repair, effect.of.frame);
      return live?.held(effect.of.slots);
    case "write-live": {
      const { frame, texts, slots } = effect.of;
      if (!effect.isHeld) keep(repair, frame);
      writeHeldText(repair);
      if (!writer.hasIndexedParts) writeTexts(repair, texts);
      return live?.write(slots, repair.template.get());
    }
    case "end-live":
      return live?.ended();
    case "await-arguments":
      return live?.heldAtEnd();
    case "close-arguments":
      return live?.close(effect.slot);
    default:
      return effect satisfies never;
  }
}

function keep(repair: StreamRepair, frame: Frame): void {
  repair.template.set(frame.value);
  repair.held.frames.push(frame);
}

/** Passes an event without a call, or writes its content if a strict client would not find it there. */
function pass(repair: StreamRepair, { frame, texts, hasEnd, isCanonical: isWhole }: EventOf<"pass">): void {
  const { writer, output } = repair;
  repair.template.set(frame.value);
  const isFound = writer.isValid(frame, { texts, hasEnd });
  if (isFound && isWhole) {
    writer.emitted(frame);
    output.pass();
    repair.passed = frame;
    return;
  }
  repair.isChanged = true;
  writeFrames(repair, isFound ? [frame] : (writer.rewrite?.(frame, texts) ?? writer.writeText(texts, frame.value)));
}

/** Writes a text in place of what arrived. */
export function rewrite(repair: StreamRepair, text: string): void {
  repair.isChanged = true;
  repair.output.write(text);
}

type EventOf<Name extends Effect["do"]> = Extract<Effect, { readonly do: Name; readonly of: unknown }>["of"];

/** The client gets frames that did not arrive in this way. */
export function writeFrames({ writer, output }: Parts, frames: readonly Frame[]): void {
  for (const frame of frames) {
    writer.emitted(frame);
    output.write(writer.serialize(frame));
  }
}

export function writeTexts(repair: StreamRepair, texts: readonly TextDelta[]): void {
  if (texts.length > 0) writeFrames(repair, repair.writer.writeText(texts, repair.template.get()));
}

/** Writes text of held events, which do not pass any more. */
export function writeHeldText(repair: StreamRepair): void {
  const { texts } = repair.held;
  repair.held.texts = [];
  writeTexts(repair, texts);
}

/** Passes the selected event with an error. Gives the texts to write instead if clients would not recognise it as it arrived. */
function passError({ output, writer, dialect }: StreamRepair, { read, isCanonical }: ErrorEvent): readonly string[] {
  const frames = read.map(({ value, event }) => ({
    value,
    event: isRecord(value) && value["type"] === "error" ? (dialect.errorEvent ?? event) : event,
  }));
  if (read.length === 0) output.restore(); // else the event has the end that the server omitted
  if (read.length === 0 || (isCanonical && frames.every(({ event }, i) => event === read[i]?.event))) {
    output.pass();
    return [];
  }
  return frames.flatMap(({ value, event }) => (isRecord(value) ? [writer.serialize({ value, event })] : []));
}
