import { renderNotice } from "#core";
import type { Policy, Told, UnansweredCall } from "#core";

import type { RepairOptions } from "./options.ts";

/** What the options say is to be done, with the words that the caller's generator or our own table gives. */
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

/** Our own words for a call without a result. */
export function defaultNotice(
  { notices, language = "en" }: RepairOptions<string | Promise<string>>,
  call: UnansweredCall,
): string {
  const kept = call.cause === "malformed" || call.cause === "truncated" || call.cause === "rejected";
  return renderNotice(call, notices === "classic" && !kept ? "superseded" : call.cause, { language });
}

/** What is done when nobody says anything. */
export const defaultPolicy: Policy = policyOf({});
