import { isRecord } from "#core";
import type { ModelStream } from "#model";

type Change = (thrown: unknown) => unknown;

/** Streams on their way from the model through hooks: what each throws later is told apart as what is thrown at once is. */
export interface StreamGuards {
  /** What a model gives, as hooks get it. */
  readonly ofModel: (change: Change) => (stream: unknown) => unknown;
  /** What a hook gives: the stream that it got, or one of its own. */
  readonly ofHook: (change: Change) => (stream: unknown) => unknown;
  /** What is read in the end: a stream that no hook has replaced is that of the model, with nothing around it. */
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

/** The same stream, which throws what is made of what it threw. What it has is its own: hooks spread it. */
class GuardedStream implements ModelStream {
  declare readonly turn: ModelStream["turn"];
  declare readonly [Symbol.asyncIterator]: ModelStream[typeof Symbol.asyncIterator];
  declare readonly model?: string | undefined;
  readonly #owner: object;
  readonly #read: ModelStream;

  /** `isReplaced`: the stream is read in its place in the end. */
  constructor(
    stream: ModelStream,
    change: Change,
    { owner, isReplaced }: { readonly owner: object; readonly isReplaced: boolean },
  ) {
    // Functions that are written behind `this.turn =` stay, with all that they see, until V8 collects everything.
    Object.assign(this, { turn: () => turnOf(stream, change), [Symbol.asyncIterator]: () => partsOf(stream, change) });
    if ("model" in stream)
      Object.defineProperty(this, "model", { get: () => stream.model, enumerable: true, configurable: true });
    this.#owner = owner;
    this.#read = isReplaced ? stream : this;
  }

  /** What is read in the place of a stream of this owner; undefined for anything else. */
  static readFor(value: unknown, owner: object): ModelStream | undefined {
    const isOwn = typeof value === "object" && value !== null && #owner in value && value.#owner === owner;
    return isOwn ? value.#read : undefined;
  }
}

async function turnOf(stream: ModelStream, change: Change): ReturnType<ModelStream["turn"]> {
  try {
    return await stream.turn();
  } catch (error) {
    throw change(error);
  }
}

async function* partsOf(stream: ModelStream, change: Change): ReturnType<AsyncGeneratorOf> {
  try {
    yield* stream;
  } catch (error) {
    throw change(error);
  }
}

type AsyncGeneratorOf = () => AsyncGenerator<ModelStream extends AsyncIterable<infer Part> ? Part : never>;

/** True for what can be read as the answer of a model. */
const isStream = (value: unknown): value is ModelStream =>
  isRecord(value) && Symbol.asyncIterator in value && typeof value["turn"] === "function";
