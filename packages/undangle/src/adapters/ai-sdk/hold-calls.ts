import { isRecord } from "#core";

import { createModelTurn } from "./model-turn.ts";
import type { ModelCall } from "./model-turn.ts";
import { describeCut, isWhole, reasonOf, withReason } from "./turn-end.ts";

/**
 * Lets the parts of a model's stream pass at once, but calls only when the turn is whole: the SDK and pages run them as soon
 * as they see them. In place of the calls of another turn comes an error.
 */
export function holdCalls(call: ModelCall): TransformStream<unknown, unknown> {
  const turn = createModelTurn(call);
  let isBroken = false;
  let isOver = false;

  /** The parts that the end of a turn sets free, and the end. */
  function* end(finish: Part): Generator {
    isOver = true;
    const names = turn.names();
    const reason = reasonOf(finish["finishReason"]);
    if (names.length === 0) yield finish;
    else if (isBroken) yield* [cut("an error came before its end", names), withEnd(finish, "error")];
    else if (!isWhole(finish["finishReason"])) yield* [cut(`it ended with ${reason}`, names), finish];
    else yield* [...turn.release().filter((part) => part !== undefined), withEnd(finish, "tool-calls")];
  }

  return new TransformStream<unknown, unknown>({
    transform(part, controller) {
      if (isRecord(part) && part["type"] === "finish" && !isOver) {
        for (const last of end(part)) controller.enqueue(last);
        return;
      }
      if (isRecord(part) && part["type"] === "error") isBroken = true;
      const passed = turn.take(part);
      if (passed !== undefined) controller.enqueue(passed);
    },
    flush(controller) {
      if (!isOver && turn.hasBegun()) controller.enqueue(cut("the stream broke off", turn.names()));
    },
  });
}

type Part = Readonly<Record<string, unknown>>;

function withEnd(finish: Part, reason: "tool-calls" | "error"): Part {
  const finishReason = withReason(finish["finishReason"], reason);
  return finishReason === finish["finishReason"] ? finish : { ...finish, finishReason };
}

const cut = (why: string, names: readonly string[]): { readonly type: "error"; readonly error: Error } => ({
  type: "error",
  error: new Error(describeCut(why, names)),
});
