import type { AssistantEntry, Call, Entry, Source } from "#core";

import { partAt } from "./context.ts";
import type { Context } from "./context.ts";
import { isSigned, signatureKey } from "../part.ts";
import { eachModelTurn } from "./turns.ts";

/**
 * From Gemini 3 on, the first call of every step of the current turn requires a thought signature. The current turn
 * starts after the last user content. Google's sentinel replaces a missing signature.
 */
export function signCalls(entries: readonly Entry[], context: Context): void {
  if (!context.model.needsSignatures || entries.at(-1)?.role === "span") return;
  const start = entries.findLastIndex(({ role }) => role === "user" || role === "span") + 1;
  eachModelTurn(entries.slice(start), (turn) => {
    for (const entry of turn) {
      const [first] = entry.calls;
      if (first === undefined) continue;
      if (!isSigned(first.wire)) sign(first, entry, context);
      return;
    }
  });
}

function sign(call: Call, entry: AssistantEntry, context: Context): void {
  const { journal, unsigned, spelling } = context;
  unsigned.add(call);
  call.fresh = true;
  entry.fresh = true;
  const source = sourceOf(call, entry);
  if (source === undefined) return; // an inserted call has its own edit
  const tail = `.${signatureKey(call.wire, spelling())}`;
  journal.note(
    partAt(source, call.place, context, tail),
    { rule: "missing-signature", message: `The call of ${call.name} has no thought signature.`, callId: call.id },
    { type: "insert" },
  );
}

function sourceOf(call: Call, entry: AssistantEntry): Source | undefined {
  return entry.parts?.find((part) => part.call === call)?.source ?? entry.source;
}
