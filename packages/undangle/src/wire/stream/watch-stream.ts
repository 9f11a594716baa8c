import type { ResponseWriter } from "#codecs";

import type { Exchange } from "../exchange.ts";
import type { LateReader } from "../response/peekable-body.ts";
import type { Framing } from "./framing.ts";
import { createPipeline } from "./pipeline.ts";
import type { Pipeline } from "./pipeline.ts";
import { framingOf, reportCancelled } from "./repair-stream.ts";

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
