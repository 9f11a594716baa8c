import type { Dialect, Means } from "../dialect.ts";
import { makeResult } from "../history.ts";
import type { AssistantEntry, Call, Entry } from "../history.ts";
import { unansweredFinding } from "../journal.ts";
import { damageOf, wrapRaw } from "../json.ts";
import type { Matching } from "./match.ts";
import { following } from "./turns.ts";

/** Adds a notice to every call without a result. */
export function answerCalls(entries: readonly Entry[], { turns, uneven }: Matching, means: Means): void {
  if (!uneven) return;
  for (const turn of turns) {
    if (!turn.calls.some(isOpen)) continue;
    const next = turn.answers > 0 ? "assistant" : following(entries, turn);
    const isLeft = next === undefined && means.policy.danglingAtEnd === "leave";
    turn.edited ||= !isLeft;
    for (const assistant of turn.assistants) {
      for (const call of assistant.calls) {
        if (!isOpen(call)) continue;
        // Calls that the caller will run stay open, and are still reported.
        if (isLeft) means.journal.report(unansweredFinding(call, means.dialect.from(assistant, call)), "left");
        else answerCall(call, assistant, next, means);
      }
    }
  }
}

const isOpen = ({ result, mayWait = false }: Call): boolean => result === undefined && !mayWait;

function answerCall(
  call: Call,
  assistant: AssistantEntry,
  next: "user" | "assistant" | undefined,
  { dialect, policy, journal }: Means,
): void {
  const { text, error } = policy.notice({
    id: call.id,
    name: call.name,
    arguments: call.raw ?? call.arguments,
    cause: call.rejection
      ? "rejected"
      : (damageOfCall(call, dialect) ?? (next === "user" ? "superseded" : "interrupted")),
    position: assistant.source?.index ?? -1,
    language: policy.language,
    ...(call.rejection?.reason === undefined ? {} : { reason: call.rejection.reason }),
  });
  const notice = makeResult(call, text);
  call.result = notice;
  const change = { type: "insert" as const, entry: notice };
  journal.report(
    unansweredFinding(call, dialect.from(assistant, call)),
    error === undefined ? change : { ...change, error },
  );
}

/** Reports the problem of a call's arguments once. */
function damageOfCall(call: Call, dialect: Dialect): "malformed" | "truncated" | undefined {
  if (call.damage === "unknown") {
    const text = call.raw ?? call.arguments;
    call.damage = typeof text === "string" && !dialect.isFreeText(call) ? damageOf(text) : undefined;
  }
  return call.damage;
}

/**
 * Providers that do not parse arguments differ in whether they accept invalid JSON. A turn that is edited anyway gets
 * the wrapper, which is lossless.
 */
export function wrapArguments({ turns }: Matching, { dialect, journal }: Means): void {
  if (dialect.profile.arguments === "object") return;
  for (const { edited, assistants } of turns) {
    if (!edited) continue;
    for (const assistant of assistants) {
      for (const call of assistant.calls) {
        const text = call.arguments;
        if (typeof text !== "string" || call.raw !== undefined || dialect.isFreeText(call)) continue;
        const isBlank = text.trim() === "";
        if (!isBlank && damageOfCall(call, dialect) === undefined) continue;
        const wrapped = isBlank ? "{}" : JSON.stringify(wrapRaw(text));
        const from = dialect.from(assistant, call);
        journal.edit(
          {
            rule: "arguments-json",
            from: from === undefined ? undefined : from + dialect.fields.arguments,
            message: "The arguments are not a JSON object.",
            callId: call.id,
          },
          {
            type: "rewrite",
            entry: assistant,
            call,
            suffix: dialect.fields.arguments,
          },
        );
        call.arguments = wrapped;
        call.fresh = true;
        assistant.fresh = true;
      }
    }
  }
}
