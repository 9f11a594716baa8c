import type { Means } from "../dialect.ts";
import type { Call, ResultEntry } from "../history.ts";
import { describeResult, shorten } from "./describe.ts";

/** How a result was matched: by its id elsewhere, by its position in the turn, or by a changed id. */
export type How = "late" | "early" | "order" | "guess";

interface Attached {
  readonly call: Call;
  readonly result: ResultEntry;
  readonly how: How;
  /** True if it is in the turn after its call, but after other content. */
  readonly notFirst: boolean;
}

/** Reports the problem of a matched result's position or id. */
export function reportAttached({ call, result, how, notFirst }: Attached, { dialect, journal }: Means): void {
  if (how === "order") return; // nothing moves; the missing id is reported where it is added
  const from = dialect.from(result);
  const what = describeResult(result);
  const callId = result.id;
  if (how === "guess") {
    const suffix = dialect.fields.resultId;
    const { optional = false } = dialect.profile.ids;
    const rule = optional ? ("mismatched-call-id" as const) : ("orphan-result" as const);
    const message = optional
      ? `${what} is in the place of the result of ${shorten(call.name)} (${shorten(call.id)}).`
      : `${what} belongs to no call; its id was derived from the id of ${shorten(call.name)} (${shorten(call.id)}).`;
    journal.report(
      { rule, from: from === undefined ? undefined : from + suffix, message, callId },
      { type: "rename", entry: result, suffix, reconstructed: true },
    );
    result.id = call.id;
    result.fresh = true;
  } else if (how === "early") {
    const message = `${what} comes before its call.`;
    journal.report({ rule: "early-result", from, message, callId }, { type: "move", entry: result });
  } else if (notFirst) {
    const message = `${what} comes after other content of its turn; results must come first.`;
    journal.report({ rule: "result-not-first", from, message, callId }, { type: "move", entry: result });
  } else {
    const message = `${what} does not directly follow its call.`;
    journal.report({ rule: "displaced-result", from, message, callId }, { type: "move", entry: result });
  }
}
