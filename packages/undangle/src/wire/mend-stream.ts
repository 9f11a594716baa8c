import type { Cleaner } from "#codecs";

import type { Exchange } from "./mend-response.ts";
import { createMender } from "./mender.ts";
import { endOfEvent, endOfLine } from "./split-events.ts";

/**
 * Passes a stream of events on. What a model says passes at once; what it calls is held until the stream is over, and then
 * passes as it came, or is written anew where a client would trip over it. A turn that was cut off ends in an error.
 */
export function mendStream(
  source: ReadableStream<Uint8Array>,
  cleaner: Cleaner,
  exchange: Exchange,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const encoder = new TextEncoder();
  const endOf = exchange.endpoint.format === "ollama" ? endOfLine : endOfEvent;
  const mender = createMender(cleaner.stream(), exchange);
  let rest = ""; // of an event that is not whole
  let searched = 0; // how much of it is known to hold no end

  /** What passes of a text that has come. */
  const take = (text: string): string => {
    const all = rest + text;
    let passed = "";
    let start = 0;
    for (;;) {
      const run = mender.repeat(all, start);
      if (run.end >= 0) {
        passed += run.passed;
        start = run.end;
      }
      const end = endOf(all, Math.max(start, searched));
      if (end < 0) break;
      passed += mender.take(all.slice(start, end));
      start = end;
    }
    rest = all.slice(start);
    searched = Math.max(0, rest.length - 3);
    return passed;
  };

  /** What passes when nothing more comes; to forget the end of the last event is forgiven. */
  const takeLast = (): string => mender.take(/^[ \t]*[^:\s]/mu.test(rest) ? `${rest}\n\n` : rest);

  /** Reads until something can be passed on. */
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read();
      const hadRest = rest !== "";
      const text = decoder.decode(value, { stream: !done });
      let passed = take(text);
      if (done) passed += takeLast();
      const ending = done || mender.isBroken() ? mender.end() : undefined;
      passed += ending?.rest ?? "";
      const isSame = !hadRest && rest === "" && !done && passed === text;
      if (passed !== "") controller.enqueue(isSame && value !== undefined ? value : encoder.encode(passed));
      if (ending?.error !== undefined) {
        controller.error(ending.error);
        if (!done) await quietly(() => reader.cancel());
        return;
      }
      if (ending !== undefined) controller.close();
      if (passed !== "" || ending !== undefined) return;
    }
  };

  return new ReadableStream<Uint8Array>(
    {
      pull,
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

async function quietly(close: () => Promise<unknown>): Promise<void> {
  try {
    await close();
  } catch {
    return; // it is over either way
  }
}
