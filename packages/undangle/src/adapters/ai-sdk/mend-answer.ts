import { createModelTurn } from "./model-turn.ts";
import type { ModelCall } from "./model-turn.ts";
import type { TellAnswer } from "./tell-repair.ts";
import { describeCut, isWhole, reasonOf, withReason } from "./turn-end.ts";

/** The relevant part of a response without streaming. */
export interface Answer {
  readonly content: readonly unknown[];
  readonly finishReason: unknown;
  readonly warnings?: readonly unknown[] | undefined;
}

/**
 * A response with each call once and under a unique id. An incomplete turn has no calls, and a warning. Returns the
 * same reference if nothing was wrong.
 */
export function mendAnswer<Result extends Answer>(answer: Result, call: ModelCall, tell: TellAnswer): Result {
  const turn = createModelTurn(call);
  const passed = answer.content.map((part) => turn.take(part));
  const names = turn.names();
  if (names.length === 0) return answer;
  const ended = turn.end(answer.finishReason ?? "unknown");
  const { anomalies } = ended;
  const hasEnded = isWhole(answer.finishReason);
  if (!hasEnded || !ended.isWhole) {
    const why = hasEnded ? "the input of a call is cut off" : `it ended with ${reasonOf(answer.finishReason)}`;
    const message = describeCut(why, names);
    tell({ isChanged: true, anomalies, error: message });
    return {
      ...answer,
      content: passed.filter((part) => part !== undefined),
      finishReason: hasEnded ? withReason(answer.finishReason, "error") : answer.finishReason,
      warnings: [...(answer.warnings ?? []), { type: "other", message }],
    };
  }
  const released = ended.released.values();
  const content = passed.map((part) => part ?? released.next().value).filter((part) => part !== undefined);
  const hasCalls = ended.released.some((part) => part !== undefined);
  const finishReason = hasCalls ? withReason(answer.finishReason, "tool-calls") : answer.finishReason;
  const isChanged =
    finishReason !== answer.finishReason ||
    content.length !== answer.content.length ||
    content.some((part, i) => part !== answer.content[i]);
  if (isChanged || anomalies.length > 0) tell({ isChanged, anomalies });
  return isChanged ? { ...answer, content, finishReason } : answer;
}
