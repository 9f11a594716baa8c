import { createAssembly, isRecord, jsonText, textOf } from "#core";
import type { AssembledTurn, Assembly, StreamFault, StreamPart } from "#core";

import type { StreamDecoder } from "./decoder.ts";
import { decoderOf } from "./decoders.ts";
import { validateAssembleOptions } from "./options.ts";
import type { AssembleOptions } from "./options.ts";
import { openSource } from "./source.ts";
import type { StreamSource } from "./source.ts";
import { createRepeats } from "./repeats.ts";
import { recoverLeaked } from "./recover-leaked.ts";
import { createEventReader, isDone } from "./sse.ts";
import { toolNamesOf } from "./tool-names.ts";

/** A stream that is being put together: its parts as they come, and the turn at the end. */
export interface AssembledStream extends AsyncIterable<StreamPart> {
  /** The turn when the stream is over. It never rejects: a stream that breaks gives what was received, with `complete: false`. */
  turn(): Promise<AssembledTurn>;
  /** All of them, for requests with `n > 1`. */
  turns(): Promise<readonly AssembledTurn[]>;
}

/** Puts together what a model streams, however broken the stream is. */
export function assemble(source: StreamSource, options: AssembleOptions): AssembledStream {
  validateAssembleOptions(options);
  const pieces = openSource(source);
  const assembly = createAssembly({
    tools: toolNamesOf(options.tools),
    knownIds: new Set(options.knownIds),
    lenient: options.lenientArguments ?? false,
  });
  const endLeaks = options.recoverLeaked === true ? recoverLeaked(assembly) : undefined;
  const feed = createFeed(decoderOf(options.format)(assembly), assembly, options);
  let queue: StreamPart[] = [];
  let turns: readonly AssembledTurn[] | undefined;
  let running: Promise<void> | undefined;

  const finish = (): void => {
    feed.end();
    endLeaks?.();
    turns = assembly.end();
  };

  /** Reads on: one piece where somebody listens, else to the end, without a promise for each piece. */
  const read = async (): Promise<void> => {
    try {
      for (;;) {
        const next = await pieces.next();
        if (turns !== undefined) return; // somebody has stopped reading in the meantime
        if (next.done === true) {
          finish();
          return;
        }
        feed.add(next.value);
        if (assembly.emit !== undefined) return;
      }
    } catch (error) {
      if (turns !== undefined) return;
      assembly.fail(cutBy(error));
      finish();
    } finally {
      running = undefined;
    }
  };

  /** There is one reader at a time, whoever asks. */
  const advance = (): Promise<void> => (running ??= read());

  const all = async (): Promise<readonly AssembledTurn[]> => {
    for (;;) {
      if (turns !== undefined) return turns;
      await advance();
    }
  };

  return {
    turns: all,
    async turn() {
      const [first] = await all();
      return first ?? emptyTurn;
    },
    async *[Symbol.asyncIterator]() {
      assembly.emit = (part) => void queue.push(part);
      try {
        for (;;) {
          const ready = queue;
          queue = [];
          yield* ready;
          if (turns !== undefined && queue.length === 0) return;
          if (queue.length === 0) await advance();
        }
      } finally {
        assembly.emit = undefined;
        if (turns === undefined) {
          pieces.cancel();
          finish();
        }
      }
    },
  };
}

/** What there is when not even a choice was opened; the assembly always gives one. */
const emptyTurn: AssembledTurn = {
  text: "",
  reasoning: "",
  calls: [],
  parts: [],
  finish: null,
  complete: false,
  anomalies: [],
  usage: undefined,
};

interface Feed {
  readonly add: (piece: unknown) => void;
  readonly end: () => void;
}

/** Takes pieces of any kind to the decoder as frames. */
function createFeed(decoder: StreamDecoder, assembly: Assembly, { format }: AssembleOptions): Feed {
  const bytes = new TextDecoder();
  const take = (frame: unknown, event: string | undefined): void => {
    assembly.frames++;
    if (!isRecord(frame)) {
      assembly.note("frame-unknown");
      return;
    }
    const fault = faultIn(frame, event);
    if (fault !== undefined) assembly.fail(fault);
    if (fault === undefined || saysMore(frame)) decoder.frame(frame, event);
  };
  /** Gemini streams a list; it may also come as one. */
  const takeAll = (value: unknown, event: string | undefined): void => {
    if (Array.isArray(value)) for (const each of value) take(each, event);
    else take(value, event);
  };
  const repeats = createRepeats(decoder, assembly);
  const reader = createEventReader((data, event) => {
    if (repeats.read(data, event)) return;
    const isObject = data.charCodeAt(0) === 0x7b; // the usual, which needs no further look
    if (!isObject && isDone(data)) {
      if (format === "openai-chat") assembly.close();
      return;
    }
    if (!isObject && data.trim() === "") return;
    let frame: unknown;
    try {
      frame = JSON.parse(data);
    } catch {
      assembly.frames++;
      if (event === "error") assembly.fail({ message: data, from: "provider" });
      else assembly.note("frame-not-json");
      return;
    }
    if (event === "error" && !isRecord(frame)) assembly.fail({ message: data, from: "provider" });
    else takeAll(frame, event);
    if (isObject && isRecord(frame)) repeats.learn(data, event, frame);
  });
  return {
    add(piece) {
      if (typeof piece === "string") reader.add(piece);
      else if (ArrayBuffer.isView(piece) || piece instanceof ArrayBuffer)
        reader.add(bytes.decode(piece as Uint8Array, { stream: true })); // a view of any kind, also from another realm
      else {
        repeats.forget();
        takeAll(piece, undefined);
      }
    },
    end() {
      reader.add(bytes.decode());
      reader.end();
      decoder.end?.();
    },
  };
}

type Frame = Readonly<Record<string, unknown>>;

/** A frame with an error may also hold a piece of the answer. */
const saysMore = (frame: Frame): boolean => "choices" in frame || "candidates" in frame || "output" in frame;

/** The error that a frame reports, in any of the ways in which servers do. */
function faultIn(frame: Frame, event: string | undefined): StreamFault | undefined {
  const { error } = frame;
  if (!error && event !== "error") {
    if (frame["delta"] !== undefined || Array.isArray(frame["choices"])) return undefined; // nearly all frames
    if (frame["type"] !== "error") return faultWithoutName(frame);
  }
  const inner = isRecord(error) ? error : frame;
  const message = typeof error === "string" ? error : textOf(inner["message"] ?? inner["detail"] ?? frame["message"]);
  const code = textOf(inner["type"] === "error" ? inner["code"] : (inner["code"] ?? inner["type"] ?? inner["status"]));
  return { message: message ?? jsonText(error ?? frame), from: "provider", ...(code !== undefined && { code }) };
}

/** Errors that are not called so: vLLM's object, MiniMax's base_resp, and a message with a code where an answer should be. */
function faultWithoutName(frame: Frame): StreamFault | undefined {
  const { object, message, base_resp: base } = frame;
  const status = isRecord(base) ? base["status_code"] : undefined;
  if (isRecord(base) && typeof status === "number" && status !== 0) {
    return { message: textOf(base["status_msg"]) ?? String(status), from: "provider", code: String(status) };
  }
  if (typeof message !== "string") return undefined;
  const code = textOf(frame["code"] ?? frame["statusCode"] ?? frame["status"]);
  if (object !== "error" && code === undefined) return undefined;
  return { message, from: "provider", ...(code !== undefined && { code }) };
}

function cutBy(error: unknown): StreamFault {
  const message = error instanceof Error ? error.message || error.name : String(error);
  const code = error instanceof Error && error.name !== "Error" ? { code: error.name } : {};
  return { message, from: "connection", ...code };
}
