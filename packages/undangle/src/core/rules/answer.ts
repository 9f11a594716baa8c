import type { Dialect, Means } from "../dialect.ts";
import { makeResult } from "../history.ts";
import type { AssistantEntry, Call, Entry } from "../history.ts";
import type { Finding } from "../journal.ts";
import { damageOf, wrapRaw } from "../json.ts";
import type { Cause } from "../notices.ts";
import type { Matching } from "./match.ts";
import type { Turn } from "./turns.ts";

/** Answers every call that has no result, in words that say why. */
export function answerCalls(entries: readonly Entry[], { turns, uneven }: Matching, means: Means): void {
  const { dialect, policy, journal } = means;
  if (!uneven) return;
  for (const turn of turns) {
    if (turn.calls.every((call) => call.result !== undefined)) continue;
    const next = following(entries, turn);
    if (next === undefined && policy.danglingAtEnd === "leave") {
      // The caller is about to run them: they stay open, and are still what the provider would refuse.
      for (const { call, assistant } of unanswered(turn)) journal.report(findingOf(call, assistant, dialect), "left");
      continue;
    }
    turn.edited = true;
    for (const { call, assistant } of unanswered(turn)) {
      const cause = causeOf(call, next, dialect);
      const { text, error } = policy.notice({
        id: call.id,
        name: call.name,
        arguments: call.raw ?? call.arguments,
        cause,
        position: assistant.source?.index ?? -1,
        language: policy.language,
      });
      const notice = makeResult(call, text);
      call.result = notice;
      journal.report(findingOf(call, assistant, dialect), {
        type: "insert",
        entry: notice,
        ...(error === undefined ? {} : { error }),
      });
    }
  }
}

function* unanswered({ assistants }: Turn): Generator<{ readonly call: Call; readonly assistant: AssistantEntry }> {
  for (const assistant of assistants) {
    for (const call of assistant.calls) if (call.result === undefined) yield { call, assistant };
  }
}

function findingOf(call: Call, assistant: AssistantEntry, dialect: Dialect): Finding {
  return {
    rule: "unanswered-call",
    from: dialect.from(assistant, call),
    message: `The call ${call.name} (${call.id}) has no result.`,
    callId: call.id,
  };
}

/** What follows the block of a turn; system messages and results do not count. */
function following(entries: readonly Entry[], { blockEnd }: Turn): "user" | "assistant" | undefined {
  for (let i = blockEnd; i < entries.length; i++) {
    const role = entries[i]?.role;
    if (role === "user" || role === "assistant") return role;
  }
  return undefined;
}

function causeOf(call: Call, next: "user" | "assistant" | undefined, dialect: Dialect): Cause {
  const text = call.raw ?? call.arguments;
  const damage = typeof text === "string" && !dialect.isFreeText(call) ? damageOf(text) : undefined;
  return damage ?? (next === "user" ? "superseded" : "interrupted");
}

/**
 * Arguments that are not a JSON object are contested where the provider does not parse them. A turn that is edited anyway
 * meets the stricter reading too, since the wrapper loses nothing.
 */
export function wrapArguments({ turns }: Matching, { dialect, journal }: Means): void {
  if (dialect.profile.arguments === "object") return;
  for (const { edited, assistants } of turns) {
    if (!edited) continue;
    for (const assistant of assistants) {
      for (const call of assistant.calls) {
        const text = call.arguments;
        if (typeof text !== "string" || dialect.isFreeText(call) || damageOf(text) === undefined) continue;
        const wrapped = JSON.stringify(wrapRaw(text));
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
            before: text,
            after: wrapped,
          },
        );
        call.arguments = wrapped;
        call.fresh = true;
        assistant.fresh = true;
      }
    }
  }
}
