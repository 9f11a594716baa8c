import type { AssembledStream } from "#codecs";
import { isRecord, UndangleError } from "#core";
import type { StreamPart } from "#core";
import type { ModelPart, ModelStream } from "#model";

/** Between two turns of a script: the turn before it is streamed and discarded, and the turn after it replaces it. */
export interface ScriptedDiscard {
  /** The reason. */
  readonly discard: string;
}

/** The turns of a script for one request: discarded ones with their reasons, and the final one. */
export interface Attempts<Answer> {
  readonly discarded: readonly Attempt<Answer>[];
  readonly answer: Answer;
}

interface Attempt<Answer> {
  readonly answer: Answer;
  readonly reason: string;
}

/** The turns of a script, one per request. */
export function attemptsIn<Answer extends object>(
  script: readonly (Answer | ScriptedDiscard)[],
): readonly Attempts<Answer>[] {
  const all: Attempts<Answer>[] = [];
  let discarded: Attempt<Answer>[] = [];
  script.forEach((step, i) => {
    const next = script[i + 1];
    if (isDiscard(step)) {
      const isBetween = i > 0 && next !== undefined && !isDiscard(next);
      if (!isBetween || typeof step.discard !== "string") throw misplaced(step, i);
    } else if (next !== undefined && isDiscard(next)) discarded.push({ answer: step, reason: next.discard });
    else {
      all.push({ discarded, answer: step });
      discarded = [];
    }
  });
  return all;
}

const isDiscard = (step: unknown): step is ScriptedDiscard => isRecord(step) && "discard" in step;

function misplaced(value: ScriptedDiscard, place: number): UndangleError {
  const allowed = ["{ discard: a reason } between two turns, to discard the turn before it"];
  return new UndangleError("options/value", { option: `turns[${place}]`, value, allowed });
}

/** A stream that restarts for each discarded turn. */
export function discardingStream<Answer>(
  { discarded, answer }: Attempts<Answer>,
  open: (answer: Answer) => AssembledStream,
  signal: AbortSignal,
): ModelStream {
  if (discarded.length === 0) return open(answer);
  let last: AssembledStream | undefined;
  const counting = (): AssembledStream => (last ??= open(answer));
  async function* read(): AsyncGenerator<ModelPart, void, undefined> {
    for (const { answer: lost, reason } of discarded) {
      yield* beginning(open(lost), signal);
      yield { type: "discarded", reason };
    }
    yield* counting();
  }
  const parts = read();
  return { turn: () => counting().turn(), [Symbol.asyncIterator]: () => parts }; // the parts can be read only once
}

/** The start of a stream that is discarded or fails. */
async function* beginning(stream: AssembledStream, signal: AbortSignal): AsyncGenerator<StreamPart, void, undefined> {
  try {
    for await (const part of stream) if (!endings.includes(part.type)) yield part;
  } catch {
    signal.throwIfAborted(); // otherwise the script provides the reason
  }
}

/** Parts that only appear at the end of a stream. */
const endings: readonly string[] = ["call-end", "finish", "anomaly"] satisfies readonly StreamPart["type"][];
