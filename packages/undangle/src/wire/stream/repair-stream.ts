import { dialects } from "#codecs";
import type { ResponseWriter } from "#codecs";

import { reportingOnce } from "../reporter.ts";
import type { Exchange } from "../reporter.ts";
import type { LateReader } from "../response/peekable-body.ts";
import { coalesce, concat } from "./framing.ts";
import type { Framing } from "./framing.ts";
import { createPipeline } from "./pipeline.ts";
import type { Pipeline } from "./pipeline.ts";

/** Milliseconds after an error of the provider in which an end marker may follow. Some servers leave the connection open. */
const afterErrorPatience = 500;

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
  const pipeline = createPipeline(writer, reporting, framing);
  let isOpen = true; // the client reads, and the body may be repaired
  const cancel = (): void => {
    if (isOpen) reportCancelled(pipeline, reporting);
    isOpen = false;
  };
  reader.onBroken(cancel);

  /** Ends a body that the provider leaves open after an error, also if the client does not read any more. */
  const closeLate = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    controller.close();
    await ignoreErrors(() => reader.cancel());
  };

  /** Reads until something passes. After the end of the turn, as long as the client waits for the end of the connection. */
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    pipeline.startWaiting();
    for (;;) {
      const { done, value } = await reader.read();
      if (!isOpen) return;
      pipeline.take(value);
      const hasFailed = pipeline.isOver();
      const hasEnded = hasFailed || pipeline.isDecided();
      const error = done || hasEnded ? pipeline.end() : undefined;
      const isOver = done || error !== undefined;
      if (hasEnded && !isOver) pipeline.continueAfterEnd();
      if (hasFailed && !isOver) void exchange.wait(afterErrorPatience).then(() => closeLate(controller));
      const passed = pipeline.flush();
      // An error discards chunks that were not read yet, so everything before it is one chunk.
      for (const chunk of error === undefined ? coalesce(passed) : [concat(passed)]) {
        if (chunk.length > 0) controller.enqueue(chunk);
      }
      if (isOver) isOpen = false;
      if (error !== undefined) controller.error(error);
      else if (isOver) controller.close();
      if (isOver && !done) await ignoreErrors(() => reader.cancel());
      if (isOver || passed.length > 0) return;
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      pull,
      cancel(reason) {
        cancel();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

const framingOf = ({ endpoint }: Exchange): Framing => dialects[endpoint.format].framing;

/** Reports the damage of a stream that the client stopped reading, or whose connection broke. */
function reportCancelled(pipeline: Pipeline | undefined, { reporter, request }: Exchange): void {
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

/** Passes on a stream unchanged, at once, and reports what is wrong with it (`mode: "warn"`). */
export function watchStream(
  reader: LateReader,
  writer: ResponseWriter,
  exchange: Exchange,
  framing: Framing = framingOf(exchange),
): ReadableStream<Uint8Array> {
  const { reporter, request } = exchange;
  let pipeline: Pipeline | undefined = createPipeline(writer, exchange, framing);
  let isCancelled = false;
  const stop = (): void => {
    const stopped = pipeline;
    pipeline = undefined;
    reportCancelled(stopped, exchange);
  };
  reader.onBroken(stop);
  const watch = (bytes: Uint8Array | undefined): void => {
    try {
      pipeline?.take(bytes);
      if (bytes === undefined || pipeline?.isOver() === true || pipeline?.isClientDone() === true) {
        pipeline?.end();
        pipeline = undefined;
      }
      pipeline?.flush();
    } catch (error) {
      pipeline = undefined;
      reporter.fail("response", request.url, error);
    }
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const { done, value } = await reader.read();
    if (isCancelled) return;
    if (done) controller.close();
    watch(done ? undefined : new Uint8Array(value)); // a copy: the consumer may transfer (detach) the chunk's buffer
    if (!done) controller.enqueue(value);
  };
  const cancel = (reason: unknown): Promise<void> => {
    isCancelled = true;
    stop();
    return reader.cancel(reason);
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}
