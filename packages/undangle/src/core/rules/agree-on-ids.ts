import type { Means } from "../dialect.ts";
import type { Call, ResultEntry } from "../history.ts";
import { shorten } from "./describe.ts";
import { renameCall } from "./identify.ts";
import type { Mint } from "./identify.ts";
import type { Matching } from "./match.ts";
import type { Turn } from "./turns.ts";

/**
 * With optional ids: makes ids unique within a turn, and gives each result the id of its call if both sides have ids.
 * No id is added without need.
 */
export function agreeOnIds({ turns }: Matching, mint: Mint, means: Means): void {
  for (const turn of turns) {
    if (turn.calls.every(({ id, result }) => id === "" && (result === undefined || result.id === ""))) continue;
    renameTwins(turn, mint, means);
    const carry = whoCarries(turn.calls);
    if (carry === "one side" || (means.dialect.namesTell === true && !isEdited(turn))) continue;
    adoptIds(turn, mint, means);
    for (const call of turn.calls) {
      const { result } = call;
      if (result !== undefined && result.id !== call.id) renameResult(call, result, carry === "both sides", means);
    }
  }
}

/** `soon`: only the calls have ids, until unanswered calls get results. */
function whoCarries(calls: readonly Call[]): "one side" | "both sides" | "soon" {
  if (!calls.some(({ id }) => id !== "")) return "one side";
  if (calls.some(({ result }) => result !== undefined && result.id !== "")) return "both sides";
  return calls.some(({ id, result }) => result === undefined && id !== "") ? "soon" : "one side";
}

/** True if the block of a turn is rebuilt now, or when its calls get results. */
const isEdited = ({ edited, calls }: Turn): boolean => edited || calls.some(({ result }) => result === undefined);

function renameTwins(turn: Turn, mint: Mint, means: Means): void {
  if (turn.calls.length < 2) return;
  const seen = new Set<string>();
  for (const assistant of turn.assistants) {
    for (const call of assistant.calls) {
      const { id, result } = call;
      if (id !== "" && seen.has(id)) {
        renameCall(call, mint.fresh(id), { assistant, rule: "duplicate-call-id" }, means);
        if (result?.id === id) renameResult(call, result, false, means);
      }
      if (call.id !== "") seen.add(call.id);
    }
  }
}

/** A call without an id gets the id of its result. */
function adoptIds(turn: Turn, mint: Mint, means: Means): void {
  const taken = new Set(turn.calls.map(({ id }) => id));
  for (const assistant of turn.assistants) {
    for (const call of assistant.calls) {
      const wanted = call.result?.id ?? "";
      if (call.id !== "" || wanted === "") continue;
      const id = taken.has(wanted) ? mint.fresh(wanted) : wanted;
      taken.add(id);
      renameCall(call, id, { assistant, rule: "mismatched-call-id" }, means);
    }
  }
}

function renameResult(call: Call, result: ResultEntry, isProblem: boolean, { dialect, journal }: Means): void {
  const { resultId } = dialect.fields;
  const from = dialect.from(result);
  const finding = {
    rule: "mismatched-call-id" as const,
    from: from === undefined ? undefined : from + resultId,
    message: `The result of ${shorten(call.name)} does not have the id of its call.`,
    callId: call.id,
  };
  const change = { type: "rename" as const, entry: result, suffix: resultId };
  if (isProblem) journal.report(finding, change);
  else journal.edit(finding, change); // the problem belongs to a call
  result.id = call.id;
  result.fresh = true;
}
