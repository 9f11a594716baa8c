import { acceptsName } from "#core";
import type { Entry } from "#core";

import { pathAt } from "./context.ts";
import type { Context } from "./context.ts";
import { responseKey } from "../part.ts";

/** Gives every response the name of its call. */
export function nameResponses(entries: readonly Entry[], context: Context): void {
  const { journal, profile, spelling, origins } = context;
  for (const entry of entries) {
    if (entry.role !== "assistant") continue;
    for (const call of entry.calls) {
      const { result } = call;
      if (result === undefined || result.name === call.name) continue;
      const { name, source, place } = result;
      const isMissing = name === "";
      const rule = isMissing ? "missing-name" : acceptsName(name, profile.names) ? "mismatched-name" : "invalid-name";
      const message = isMissing
        ? "The function response has no name."
        : `The function response has the name ${name}, but its call has the name ${call.name}.`;
      const tail = `.${responseKey(result.wire, spelling())}.name`;
      const from = source && pathAt(source, place, context, tail);
      // Results of other formats have no names, so the reported conversion covers this.
      if (!isMissing || source === undefined || !origins.has(source)) {
        const reconstructed = result.isByPlace === true;
        const change = { type: "rename" as const, entry: result, suffix: ".name", reconstructed };
        journal.report({ rule, from, message, callId: call.id }, change);
      }
      result.name = call.name;
      result.fresh = true;
    }
  }
}
