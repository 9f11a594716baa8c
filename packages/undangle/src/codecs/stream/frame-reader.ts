import { cleanName, createAssembly, isRecord } from "#core";
import type { AssembledTurn } from "#core";

import type { Said } from "./cleaner.ts";
import type { Repeatable } from "./decoder.ts";
import { decoders } from "./decoders.ts";
import { takeFrame } from "./feed.ts";
import type { StreamFormat } from "./formats.ts";
import { createRunReader } from "./repeat-run.ts";
import { createEventReader, isDone } from "./sse.ts";
import { toolNamesOf } from "./tool-names.ts";

/** What one event said. */
export interface ReadFrame {
  readonly value: unknown;
  readonly event: string | undefined;
  readonly said: readonly Said[];
  /** It speaks of a call, or of the end of the turn. */
  readonly hasCall: boolean;
  readonly hasEnd: boolean;
}

/** Events that repeat one: all that they say, as one frame. */
export interface RepeatedFrames extends Omit<ReadFrame, "value"> {
  readonly end: number;
  readonly value: () => unknown;
}

/** Reads a stream piece by piece, and says what each was about. */
export interface FrameReader {
  /** The frames of a piece that ends where an event does. */
  readonly take: (raw: string) => readonly ReadFrame[];
  /** Reads the events from an index on that repeat the last one of `take`, but for their text; undefined when there is none. */
  readonly repeat: (text: string, from: number) => RepeatedFrames | undefined;
  /** True for the name of a call that stands as it came. */
  readonly isPlainName: (name: string) => boolean;
  /** The provider has reported an error. */
  readonly isBroken: () => boolean;
  /** Nothing more comes: what came of all, and what is said only now that it is clear how it was meant. */
  readonly end: () => { readonly turns: readonly AssembledTurn[] } & Pick<ReadFrame, "said" | "hasCall">;
}

export function createFrameReader({
  format,
  tools,
}: {
  readonly format: StreamFormat;
  readonly tools: unknown;
}): FrameReader {
  const names = toolNamesOf(tools);
  const assembly = createAssembly({ tools: names, knownIds: new Set(), lenient: false });
  const decoder = decoders[format](assembly);
  let said: Said[] = [];
  let hasCall = false;
  let hasEnd = false;
  let isBroken = false;
  let isRunning = false; // events are read that repeat one: what they say is told once
  let last: { readonly frame: ReadFrame; readonly data: string } | undefined;
  const lastRead = (): typeof last => last;
  const runs = createRunReader();

  const listen = (type: Said["type"]): void => {
    const say = assembly[type].bind(assembly);
    assembly[type] = (choice, text) => {
      if (text !== "" && !isRunning) said.push({ type, choice: choice.number, text });
      say(choice, text);
    };
  };
  listen("text");
  listen("reasoning");
  /** Notes when the decoder speaks of something. */
  const watch = (method: "open" | "identify" | "name" | "append" | "finish" | "fail", note: () => void): void => {
    const original = assembly[method].bind(assembly) as (...args: readonly unknown[]) => unknown;
    const watched = (...args: readonly unknown[]): unknown => {
      note();
      return original(...args);
    };
    Object.assign(assembly, { [method]: watched });
  };
  for (const method of ["open", "identify", "name", "append"] as const) watch(method, () => (hasCall = true));
  watch("finish", () => (hasEnd = true));
  watch("fail", () => (isBroken = true));

  /** What the decoder says of a frame that says one piece of text, or of one that goes on with a call. */
  const repeatableIn = ({ value, said: heard, hasCall: calls, hasEnd: ends }: ReadFrame): Repeatable | undefined =>
    !ends && heard.length + Number(calls) === 1 && isRecord(value) ? decoder.repeatable?.(value) : undefined;

  let frames: ReadFrame[] = [];
  const reader = createEventReader((data, event) => {
    said = [];
    hasCall = false;
    hasEnd = false;
    if (isDone(data)) {
      if (format === "openai-chat") assembly.close();
      return;
    }
    if (data.trim() === "") return;
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      assembly.frames++;
      if (event === "error") assembly.fail({ message: data, from: "provider" });
      else assembly.note("frame-not-json");
      return;
    }
    const isPlain = takeFrame(value, event, decoder, assembly);
    const frame = { value, event, said, hasCall, hasEnd };
    last = isPlain ? { frame, data } : undefined;
    frames.push(frame);
  });

  return {
    take(raw) {
      frames = [];
      last = undefined;
      reader.add(raw);
      const known = frames.length === 1 ? lastRead() : undefined;
      if (known === undefined) runs.forget();
      else runs.learn(raw, known.data, () => repeatableIn(known.frame));
      return frames;
    },
    repeat(text, from) {
      isRunning = true;
      const run = runs.read(text, from);
      isRunning = false;
      if (run === undefined || last === undefined) return undefined;
      assembly.frames += run.count;
      const { frame } = last;
      const all = frame.said.map((one) => ({ ...one, text: run.text }));
      return { ...frame, said: all, end: run.end, value: run.value };
    },
    isPlainName: (name) => cleanName(name, names) === name,
    isBroken: () => isBroken,
    end() {
      reader.end();
      said = [];
      hasCall = false;
      decoder.end?.();
      const late = { said, hasCall };
      return { turns: assembly.end(), ...late };
    },
  };
}
