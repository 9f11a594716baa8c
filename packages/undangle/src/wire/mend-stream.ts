import type { Cleaner } from "#codecs";
import { anomalies, emptyTurn } from "#core";
import type { Anomaly } from "#core";

import { askedIn } from "./asked-in.ts";
import type { LateReader } from "./body-source.ts";
import { createBehindEnd } from "./behind-end.ts";
import type { BehindEnd } from "./behind-end.ts";
import { gathered, joined } from "./cut-events.ts";
import { createLine } from "./line.ts";
import type { Line } from "./line.ts";
import type { Exchange } from "./mend-response.ts";
import type { Framing } from "./split-events.ts";
import { tellingOf, tellTurns } from "./tell-turns.ts";
import { tellingOnce } from "./wire-report.ts";

/**
 * Passes a stream of events on. What a model says passes at once; what it calls is held until the stream is over, and then
 * passes as it came, or is written anew where a client would trip over it. A turn that was cut off ends in an error.
 */
export function mendStream(
  reader: LateReader,
  cleaner: Cleaner,
  exchange: Exchange,
  framing: Framing = framingOf(exchange),
): ReadableStream<Uint8Array> {
  const told: Exchange = { ...exchange, reporter: tellingOnce(exchange.reporter) };
  const course: Course = {
    reader,
    line: createLine(cleaner, told, framing),
    behind: undefined,
    isLeft: false,
    framing,
    isStrict: askedIn(exchange).helper?.method === "stream" && exchange.endpoint.format === "openai-responses",
    hasMore: () => tellTurns([{ ...emptyTurn, anomalies: [afterEnd] }], tellingOf(told)),
  };
  const leave = (): void => {
    const left = course.line;
    course.line = undefined;
    course.isLeft = true;
    tellKnown(left, told);
  };
  reader.whenBroken(leave);
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => (course.line === undefined ? passRest(course, controller) : passOn(course, controller)),
      cancel(reason) {
        leave();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

const afterEnd: Anomaly = { kind: "after-finish", message: anomalies["after-finish"] };

/** A stream on its way. */
interface Course {
  readonly reader: LateReader;
  /** Until the answer is over: a stream that was read to its end may be kept for long. */
  line: Line | undefined;
  /** What comes when it is over. */
  behind: BehindEnd | undefined;
  /** Nobody reads it any more. */
  isLeft: boolean;
  readonly framing: Framing;
  /** The client trips over events that it does not know. */
  readonly isStrict: boolean;
  /** Something came behind that, and was left out. */
  readonly hasMore: () => void;
}

type Controller = ReadableStreamDefaultController<Uint8Array>;

/** Reads until something can be passed on. */
async function passOn(course: Course, controller: Controller): Promise<void> {
  const { reader } = course;
  course.line?.ask();
  for (;;) {
    const { done, value } = await reader.read();
    const { line } = course;
    if (line === undefined) return; // nobody cut it off but its reader
    line.take(value);
    const isBroken = line.isOver();
    const isOver = done || isBroken || line.isDecided();
    const error = isOver ? line.end() : undefined;
    const passed = line.flush();
    // An error takes away all that was not read yet: what passes before it is one piece.
    for (const piece of error === undefined ? gathered(passed) : [joined(passed)]) {
      if (piece.length > 0) controller.enqueue(piece);
    }
    if (isOver) {
      course.line = undefined;
      if (error !== undefined) controller.error(error);
      else if (done || isBroken) controller.close();
      else passBehind(course, line.rest(), controller);
      if (!done && (isBroken || error !== undefined)) await quietly(() => reader.cancel());
      return;
    }
    if (passed.length > 0) return;
  }
}

/** Reads on behind the end of an answer, as long as somebody waits for the end of the connection. */
async function passRest(course: Course, controller: Controller): Promise<void> {
  for (;;) {
    const { done, value } = await course.reader.read();
    if (course.isLeft) return;
    const isPassed = passBehind(course, value, controller);
    if (done) controller.close();
    if (done || isPassed) return;
  }
}

/** Passes what says nothing of bytes that come behind the end; false where nothing passes. */
function passBehind(course: Course, bytes: Uint8Array | undefined, controller: Controller): boolean {
  const behind = (course.behind ??= createBehindEnd(course.framing, course));
  const isTold = behind.hasMore();
  const passed = behind.take(bytes);
  if (!isTold && behind.hasMore()) course.hasMore();
  if (passed.length > 0) controller.enqueue(passed);
  return passed.length > 0;
}

/** Passes a stream on as it is, at once, and tells what is wrong with it. */
export function watchStream(
  reader: LateReader,
  cleaner: Cleaner,
  exchange: Exchange,
  framing: Framing = framingOf(exchange),
): ReadableStream<Uint8Array> {
  const { reporter, request } = exchange;
  let line: Line | undefined = createLine(cleaner, exchange, framing);
  let isCancelled = false;
  const leave = (): void => {
    const left = line;
    line = undefined;
    tellKnown(left, exchange);
  };
  reader.whenBroken(leave);
  const look = (bytes: Uint8Array | undefined): void => {
    try {
      line?.take(bytes);
      if (bytes === undefined || line?.isOver() === true || line?.isMarked() === true) {
        line?.end();
        line = undefined;
      }
      line?.flush();
    } catch (error) {
      line = undefined;
      reporter.fail("response", request.url, error);
    }
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const { done, value } = await reader.read();
    if (isCancelled) return;
    if (done) controller.close();
    look(done ? undefined : new Uint8Array(value)); // whoever gets the bytes may make away with them
    if (!done) controller.enqueue(value);
  };
  const cancel = (reason: unknown): Promise<void> => {
    isCancelled = true;
    leave();
    return reader.cancel(reason);
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}

const framingOf = ({ endpoint }: Exchange): Framing => (endpoint.format === "ollama" ? "lines" : "events");

/** Tells what is known of a stream that nobody reads any more, or that has broken off: there may have been damage before. */
function tellKnown(line: Line | undefined, { reporter, request }: Exchange): void {
  try {
    line?.end({ isLeft: true });
  } catch (error) {
    reporter.fail("response", request.url, error);
  }
}

async function quietly(close: () => Promise<unknown>): Promise<void> {
  try {
    await close();
  } catch {
    return; // it is over either way
  }
}
