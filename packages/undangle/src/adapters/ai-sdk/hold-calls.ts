import { anomalies, isRecord } from "#core";
import type { Anomaly, AnomalyKind } from "#core";

import { createModelTurn } from "./model-turn.ts";
import type { ModelCall } from "./model-turn.ts";
import { createSaidParts } from "./said-parts.ts";
import type { TellAnswer } from "./tell-repair.ts";
import { describeCut, isWhole, reasonOf, withReason } from "./turn-end.ts";

/**
 * Passes the parts of a stream at once, but calls only when the turn is complete, because the SDK and pages run them at
 * once. An error replaces the calls of an incomplete turn.
 */
export function holdCalls(call: ModelCall, tell: TellAnswer): TransformStream<unknown, unknown> {
  const turn = createModelTurn(call);
  const said = createSaidParts();
  let isChanged = false;
  let isBroken = false;
  let isOver = false;
  let blank: unknown; // the first error that only reports an empty event

  /** The calls of an incomplete turn, and the reason to withhold them. */
  const cut = (why: string, found: readonly Anomaly[]): Part => {
    const error = describeCut(why, turn.names());
    tell({ isChanged: true, anomalies: found, error });
    return { type: "error", error: new Error(error) };
  };

  /** The parts that the end of a turn releases, and the end. */
  function* end(finish: Part): Generator {
    const { finishReason } = finish;
    const notJson = blank === undefined ? [] : [noted("frame-not-json")];
    if (!turn.hasBegun()) {
      const isError = reasonOf(finishReason) === "error" && !isBroken;
      if (isError && blank !== undefined) yield blank; // no other part describes the error
      if (isChanged) tell({ isChanged, anomalies: notJson });
      yield finish;
      return;
    }
    const ended = turn.end(finishReason);
    const found = [...notJson, ...ended.anomalies];
    if (isBroken) yield* [cut("an error came before its end", found), withEnd(finish, "error")];
    else if (!isWhole(finishReason)) yield* [cut(`it ended with ${reasonOf(finishReason)}`, found), finish];
    else if (!ended.isWhole) yield* [cut("the input of a call is cut off", found), withEnd(finish, "error")];
    else {
      const released = [...ended.released.filter((part) => part !== undefined), ...ended.added];
      const last = released.length === 0 ? finish : withEnd(finish, "tool-calls");
      isChanged ||= last !== finish || ended.isChanged || ended.added.length > 0;
      if (isChanged || found.length > 0) tell({ isChanged, anomalies: found });
      yield* [...released, last];
    }
  }

  function* passed(part: unknown): Generator {
    const type = isRecord(part) ? part["type"] : undefined;
    if (type === "error" && isBlankEvent(part)) {
      blank ??= part;
      isChanged = true;
      return;
    }
    if (isRecord(part) && type === "finish") {
      if (!isOver) yield* end(part);
      isOver = true;
      return;
    }
    if (isOver && isRecord(part) && type === "tool-call" && part["providerExecuted"] !== true) {
      yield cut("a call came after its end", [noted("after-finish")]);
      return;
    }
    if (isRecord(part) && type === "error") {
      isBroken = true;
      turn.fail(part["error"]);
    }
    const taken = turn.take(part);
    if (taken === undefined) return;
    const parts = said.take(taken);
    isChanged ||= parts.length !== 1 || parts[0] !== part;
    yield* parts;
  }

  return new TransformStream<unknown, unknown>({
    transform(part, controller) {
      for (const each of passed(part)) controller.enqueue(each);
    },
    flush(controller) {
      if (isOver) return;
      if (turn.hasBegun()) controller.enqueue(cut("the stream broke off", turn.end(undefined).anomalies));
      else tell({ isChanged, anomalies: [noted("stream-cut")] });
    },
  });
}

type Part = Readonly<Record<string, unknown>>;

const noted = (kind: AnomalyKind): Anomaly => ({ kind, message: anomalies[kind] });

/** True for an event without data, a keep-alive that the SDK tries to parse. */
function isBlankEvent(part: unknown): boolean {
  const error = isRecord(part) ? part["error"] : undefined;
  if (!isRecord(error) || error["name"] !== "AI_JSONParseError") return false;
  return typeof error["text"] === "string" && error["text"].trim() === "";
}

function withEnd(finish: Part, reason: "tool-calls" | "error"): Part {
  const finishReason = withReason(finish["finishReason"], reason);
  return finishReason === finish["finishReason"] ? finish : { ...finish, finishReason };
}
