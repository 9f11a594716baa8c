import { isRecord } from "#core";
import type { AssembledCall } from "#core";
import type { ModelPart, ModelStream } from "#model";

import { partProblem } from "../step/check-model-turn.ts";

type Change = (thrown: unknown) => unknown;

/** Streams from the model through hooks. Errors are attributed to the hook or the model, even if they occur later. */
export interface StreamGuards {
  /** Wraps the stream of a model for hooks. */
  readonly ofModel: (change: Change) => (stream: unknown) => unknown;
  /** The stream of a hook: the one it received, or its own. */
  readonly ofHook: (change: Change) => (stream: unknown) => unknown;
  /** The stream to read. If no hook has replaced it, this is the model's own stream without wrappers. */
  readonly bare: (stream: unknown) => unknown;
}

export function createStreamGuards(): StreamGuards {
  const owner = {};
  return {
    ofModel: (change) => (stream) =>
      isStream(stream) ? new GuardedStream(stream, change, { owner, isReplaced: true }) : stream,
    ofHook: (change) => (stream) => {
      if (GuardedStream.readFor(stream, owner) !== undefined) return stream;
      if (!isStream(stream)) throw change(new Error("it gave no stream"));
      return new GuardedStream(stream, change, { owner, isReplaced: false });
    },
    bare: (stream) => GuardedStream.readFor(stream, owner) ?? stream,
  };
}

/** Wraps a stream and maps its errors. Its methods are own properties, because hooks spread it. */
class GuardedStream implements ModelStream {
  declare readonly turn: ModelStream["turn"];
  declare readonly [Symbol.asyncIterator]: ModelStream[typeof Symbol.asyncIterator];
  declare readonly model?: string | undefined;
  readonly #owner: object;
  readonly #read: ModelStream;

  /** `isReplaced`: `stream` is read instead of this wrapper. */
  constructor(
    stream: ModelStream,
    change: Change,
    { owner, isReplaced }: { readonly owner: object; readonly isReplaced: boolean },
  ) {
    // V8 keeps functions that are assigned as `this.turn =` and their closures until a full collection.
    Object.assign(this, { turn: () => turnOf(stream, change), [Symbol.asyncIterator]: () => partsOf(stream, change) });
    if ("model" in stream)
      Object.defineProperty(this, "model", { get: () => stream.model, enumerable: true, configurable: true });
    this.#owner = owner;
    this.#read = isReplaced ? stream : this;
  }

  /** The stream to read instead of a wrapper of this owner. Undefined for any other value. */
  static readFor(value: unknown, owner: object): ModelStream | undefined {
    const isOwn = typeof value === "object" && value !== null && #owner in value && value.#owner === owner;
    return isOwn ? value.#read : undefined;
  }
}

/** The calls that hooks have read from streams. */
const heard = new WeakMap<ModelStream, AssembledCall[]>();

/** The calls that hooks have read from a stream of a model. */
export const callsHeardIn = (stream: ModelStream): readonly AssembledCall[] => heard.get(stream) ?? [];

function hear(stream: ModelStream, calls: readonly AssembledCall[]): void {
  const known = heard.get(stream);
  if (known === undefined) heard.set(stream, [...calls]);
  else known.push(...calls);
}

async function turnOf(stream: ModelStream, change: Change): ReturnType<ModelStream["turn"]> {
  try {
    const turn = await stream.turn();
    if (isRecord(turn) && Array.isArray(turn.calls)) hear(stream, turn.calls); // a model without types may return anything
    return turn;
  } catch (error) {
    throw change(error);
  }
}

async function* partsOf(stream: ModelStream, change: Change): AsyncGenerator<ModelPart> {
  try {
    for await (const part of stream) {
      const problem = partProblem(part);
      if (problem !== undefined) throw new Error(`${problem}.`);
      if (part.type === "call-end") hear(stream, [part.result]);
      yield part;
    }
  } catch (error) {
    throw change(error);
  }
}

/** True for a value that can be read as a model stream. */
const isStream = (value: unknown): value is ModelStream =>
  isRecord(value) && Symbol.asyncIterator in value && typeof value["turn"] === "function";
