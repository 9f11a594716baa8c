import { createModelTurn } from "./model-turn.ts";
import type { ModelCall } from "./model-turn.ts";
import { describeCut, isWhole, reasonOf, withReason } from "./turn-end.ts";

/** What a model answers when it does not stream, as far as it matters here. */
export interface Answer {
  readonly content: readonly unknown[];
  readonly finishReason: unknown;
  readonly warnings?: readonly unknown[] | undefined;
}

/**
 * An answer with each call once and under an id of its own, and with none when the turn is not whole: a warning says so then.
 * The same reference when nothing was wrong.
 */
export function mendAnswer<Result extends Answer>(answer: Result, call: ModelCall): Result {
  const turn = createModelTurn(call);
  const passed = answer.content.map((part) => turn.take(part));
  const names = turn.names();
  if (names.length === 0) return answer;
  if (!isWhole(answer.finishReason)) {
    const content = passed.filter((part) => part !== undefined);
    const message = describeCut(`it ended with ${reasonOf(answer.finishReason)}`, names);
    return { ...answer, content, warnings: [...(answer.warnings ?? []), { type: "other", message }] };
  }
  const released = turn.release().values();
  const parts = passed.map((part) => part ?? released.next().value);
  const content = parts.filter((part) => part !== undefined);
  const finishReason = withReason(answer.finishReason, "tool-calls");
  const isHealthy = finishReason === answer.finishReason && parts.every((part, i) => part === answer.content[i]);
  return isHealthy ? answer : { ...answer, content, finishReason };
}
