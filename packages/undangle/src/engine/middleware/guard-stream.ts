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
  /** The calls that hooks have read from a stream of a model. */
  readonly callsReadFrom: CallsReadFrom;
}

export type CallsReadFrom = (stream: ModelStream) => readonly AssembledCall[];

export function createStreamGuards(): StreamGuards {
  const owner: Owner = { callsRead: new WeakMap() };
  return {
    callsReadFrom: (stream) => owner.callsRead.get(stream) ?? [],
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

/** What the wrappers of one agent share. */
interface Owner {
  readonly callsRead: WeakMap<ModelStream, AssembledCall[]>;
}

/** Wraps a stream and maps its errors. Its methods are own properties, because hooks spread it. */
class GuardedStream implements ModelStream {
  declare readonly turn: ModelStream["turn"];
  declare readonly [Symbol.asyncIterator]: ModelStream[typeof Symbol.asyncIterator];
  declare readonly model?: string | undefined;
  readonly #owner: Owner;
  readonly #read: ModelStream;

  /** `isReplaced`: `stream` is read instead of this wrapper. */
  constructor(
    stream: ModelStream,
    change: Change,
    { owner, isReplaced }: { readonly owner: Owner; readonly isReplaced: boolean },
  ) {
    // V8 keeps functions that are assigned as `this.turn =` and their closures until a full collection.
    const onCalls = (calls: readonly AssembledCall[]): void => {
      owner.callsRead.set(stream, [...(owner.callsRead.get(stream) ?? []), ...calls]);
    };
    Object.assign(this, {
      turn: () => turnOf(stream, change, onCalls),
      [Symbol.asyncIterator]: () => partsOf(stream, change, onCalls),
    });
    if ("model" in stream)
      Object.defineProperty(this, "model", { get: () => stream.model, enumerable: true, configurable: true });
    this.#owner = owner;
    this.#read = isReplaced ? stream : this;
  }

  /** The stream to read instead of a wrapper of this owner. Undefined for any other value. */
  static readFor(value: unknown, owner: Owner): ModelStream | undefined {
    const isOwn = typeof value === "object" && value !== null && #owner in value && value.#owner === owner;
    return isOwn ? value.#read : undefined;
  }
}

type OnCalls = (calls: readonly AssembledCall[]) => void;

async function turnOf(stream: ModelStream, change: Change, onCalls: OnCalls): ReturnType<ModelStream["turn"]> {
  try {
    const turn = await stream.turn();
    if (isRecord(turn) && Array.isArray(turn.calls)) onCalls(turn.calls); // a model without types may return anything
    return turn;
  } catch (error) {
    throw change(error);
  }
}

async function* partsOf(stream: ModelStream, change: Change, onCalls: OnCalls): AsyncGenerator<ModelPart> {
  try {
    for await (const part of stream) {
      const problem = partProblem(part);
      if (problem !== undefined) throw new Error(`${problem}.`);
      if (part.type === "call-end") onCalls([part.result]);
      yield part;
    }
  } catch (error) {
    throw change(error);
  }
}

/** True for a value that can be read as a model stream. */
const isStream = (value: unknown): value is ModelStream =>
  isRecord(value) && Symbol.asyncIterator in value && typeof value["turn"] === "function";
