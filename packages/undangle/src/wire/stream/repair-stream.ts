import { dialects } from "#codecs";
import type { ResponseWriter } from "#codecs";
import { anomalies, emptyTurn } from "#core";
import type { Anomaly } from "#core";

import { requestFacts } from "../exchange.ts";
import type { Exchange } from "../exchange.ts";
import { reportingOnce, reportTurns } from "../reporter.ts";
import type { LateReader } from "../response/peekable-body.ts";
import { createAfterEnd } from "./after-end.ts";
import type { AfterEnd } from "./after-end.ts";
import { coalesce, concat } from "./framing.ts";
import type { Framing } from "./framing.ts";
import { createPipeline } from "./pipeline.ts";
import type { Pipeline } from "./pipeline.ts";

/**
 * Passes on a stream. Text passes at once. Calls are held until they are complete, and then pass as they arrived, or are rewritten if
 * a client would fail on them. A truncated turn ends in an error.
 */
export function repairStream(
  reader: LateReader,
  writer: ResponseWriter,
  exchange: Exchange,
  framing: Framing = framingOf(exchange),
): ReadableStream<Uint8Array> {
  const reporting: Exchange = { ...exchange, reporter: reportingOnce(exchange.reporter) };
  const isStrict =
    requestFacts(exchange).helper?.method === "stream" && exchange.endpoint.format === "openai-responses";
  const stream: Stream = {
    reader,
    pipeline: createPipeline(writer, reporting, framing),
    afterEnd: createAfterEnd(framing, {
      isStrict,
      onRemoved: () => reportTurns([{ ...emptyTurn, anomalies: [afterFinish] }], reporting),
    }),
    isCancelled: false,
  };
  const cancel = (): void => {
    const { pipeline } = stream;
    stream.pipeline = undefined;
    stream.isCancelled = true;
    reportCancelled(pipeline, reporting);
  };
  reader.onBroken(cancel);
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        stream.pipeline === undefined ? passAfterEnd(stream, controller) : passOn(stream, stream.pipeline, controller),
      cancel(reason) {
        cancel();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

const afterFinish: Anomaly = { kind: "after-finish", message: anomalies["after-finish"] };

interface Stream {
  readonly reader: LateReader;
  /** Until the turn ends. It is released then, because the program may keep the response. */
  pipeline: Pipeline | undefined;
  readonly afterEnd: AfterEnd;
  isCancelled: boolean;
}

type Controller = ReadableStreamDefaultController<Uint8Array>;

/** Reads until something passes. */
async function passOn(stream: Stream, pipeline: Pipeline, controller: Controller): Promise<void> {
  const { reader } = stream;
  pipeline.startWaiting();
  for (;;) {
    const { done, value } = await reader.read();
    if (stream.pipeline === undefined) return; // the client cancelled
    pipeline.take(value);
    const isBroken = pipeline.isOver();
    const isOver = done || isBroken || pipeline.isDecided();
    const error = isOver ? pipeline.end() : undefined;
    const passed = pipeline.flush();
    // An error discards chunks that were not read yet, so everything before it is one chunk.
    for (const chunk of error === undefined ? coalesce(passed) : [concat(passed)]) {
      if (chunk.length > 0) controller.enqueue(chunk);
    }
    if (isOver) {
      stream.pipeline = undefined;
      if (error !== undefined) controller.error(error);
      else if (done || isBroken) controller.close();
      else enqueue(stream.afterEnd.take(pipeline.rest()), controller);
      if (!done && (isBroken || error !== undefined)) await ignoreErrors(() => reader.cancel());
      return;
    }
    if (passed.length > 0) return;
  }
}

/** Reads on after the end of the turn, as long as the client waits for the end of the connection. */
async function passAfterEnd(stream: Stream, controller: Controller): Promise<void> {
  for (;;) {
    const { done, value } = await stream.reader.read();
    if (stream.isCancelled) return;
    const hasPassed = enqueue(stream.afterEnd.take(value), controller);
    if (done) controller.close();
    if (done || hasPassed) return;
  }
}

function enqueue(bytes: Uint8Array, controller: Controller): boolean {
  if (bytes.length > 0) controller.enqueue(bytes);
  return bytes.length > 0;
}

export const framingOf = ({ endpoint }: Exchange): Framing => dialects[endpoint.format].framing;

/** Reports the damage of a stream that the client stopped reading, or whose connection broke. */
export function reportCancelled(pipeline: Pipeline | undefined, { reporter, request }: Exchange): void {
  try {
    pipeline?.end({ isCancelled: true });
  } catch (error) {
    reporter.fail("response", request.url, error);
  }
}

async function ignoreErrors(close: () => Promise<unknown>): Promise<void> {
  try {
    await close();
  } catch {
    return; // the stream is over either way
  }
}
