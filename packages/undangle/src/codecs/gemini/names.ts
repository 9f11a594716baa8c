import { acceptsName } from "#core";
import type { Entry } from "#core";

import type { Context } from "./context.ts";
import { responseKey } from "./part.ts";

/** Gives every response the name of the call that it answers. */
export function nameResponses(entries: readonly Entry[], { journal, profile, spelling }: Context): void {
  for (const entry of entries) {
    if (entry.role !== "assistant") continue;
    for (const call of entry.calls) {
      const { result } = call;
      if (result === undefined || result.name === call.name) continue;
      const { name, source, place } = result;
      const suffix = `.${responseKey(result.wire, spelling())}.name`;
      const isMissing = name === "";
      const rule = isMissing ? "missing-name" : acceptsName(name, profile.names) ? "mismatched-name" : "invalid-name";
      const message = isMissing
        ? "The function response has no name."
        : `The function response is called ${name}, and its call ${call.name}.`;
      const from = source && `contents[${source.index}].parts[${place}]${suffix}`;
      journal.report({ rule, from, message, callId: call.id }, { type: "rename", entry: result, suffix: ".name" });
      result.name = call.name;
      result.fresh = true;
    }
  }
}
