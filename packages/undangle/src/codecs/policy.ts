import { renderNotice } from "#core";
import type { Policy, Told, UnansweredCall } from "#core";

import type { RepairOptions } from "./options.ts";

/** The policy of the options, with notices from the caller's generator or the built-in table. */
export function policyOf(
  options: RepairOptions<string | Promise<string>>,
  notice?: (call: UnansweredCall) => Told,
): Policy {
  const { orphans = "restore", duplicates = "merge", danglingAtEnd = "answer", language = "en" } = options;
  return {
    orphans,
    duplicates,
    danglingAtEnd,
    answersPending: options.danglingAtEnd === "answer",
    language,
    notice: notice ?? ((call) => ({ text: defaultNotice(options, call) })),
    hasOwnNotice: notice !== undefined,
    keepsMedia: false,
  };
}

/** The built-in notice of a call without a result. */
export function defaultNotice(
  { notices, language = "en" }: RepairOptions<string | Promise<string>>,
  call: UnansweredCall,
): string {
  const kept = call.cause === "malformed" || call.cause === "truncated" || call.cause === "rejected";
  return renderNotice(call, notices === "classic" && !kept ? "superseded" : call.cause, { language });
}

export const defaultPolicy: Policy = policyOf({});
