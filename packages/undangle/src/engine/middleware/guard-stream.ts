import type { AssembledStream } from "#codecs";
import { isRecord } from "#core";
import type { StreamPart } from "#core";

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
  const known = new WeakMap<object, AssembledStream>(); // with what is read in their place
  return {
    ofModel: (change) => (stream) => {
      if (!isStream(stream)) return stream;
      const guarded = guardStream(stream, change);
      known.set(guarded, stream);
      return guarded;
    },
    ofHook: (change) => (stream) => {
      if (!isStream(stream)) throw change(new Error("it gave no stream"));
      if (known.has(stream)) return stream;
      const guarded = guardStream(stream, change);
      known.set(guarded, guarded);
      return guarded;
    },
    bare: (stream) => (isStream(stream) ? (known.get(stream) ?? stream) : stream),
  };
}

/** The same stream, which throws what is made of what it threw. */
function guardStream(stream: AssembledStream, change: Change): AssembledStream {
  const changed = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw change(error);
    }
  };
  return {
    turn: () => changed(() => stream.turn()),
    turns: () => changed(() => stream.turns()),
    async *[Symbol.asyncIterator](): AsyncGenerator<StreamPart, void, undefined> {
      try {
        yield* stream;
      } catch (error) {
        throw change(error);
      }
    },
  };
}

/** True for what can be read as the answer of a model. */
const isStream = (value: unknown): value is AssembledStream =>
  isRecord(value) && Symbol.asyncIterator in value && typeof value["turn"] === "function";
