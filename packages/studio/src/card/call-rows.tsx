import type { PendingCall } from "undangle/client";

import { ExactText } from "../parts/text/exact-text.tsx";
import { cardTexts } from "../texts/card-texts.ts";
import { useList, useTexts } from "../texts/language.tsx";
import { DestructiveBadge } from "./contents/card-details.tsx";
import { summaryOf } from "./edit/schema-fields.ts";

/** Further calls are counted by tool. */
const mostRows = 20;

/** The calls that one button decides about, each in a line. The list scrolls, so that the button stays near. */
export function CallRows({ calls }: { readonly calls: readonly PendingCall[] }) {
  const texts = useTexts(cardTexts);
  const listOf = useList();
  const rest = calls.slice(mostRows);
  return (
    <ul
      aria-label={texts.together}
      tabIndex={0}
      className="max-h-24 overflow-auto rounded-md border border-line px-2 py-1 text-sm"
    >
      {calls.slice(0, mostRows).map((call) => (
        <li key={call.id} className="flex min-w-0 items-center gap-x-2">
          <span className="max-w-1/2 flex-none truncate font-medium">
            <ExactText text={call.title ?? call.name} />
          </span>
          <DestructiveBadge call={call} />
          <span className="min-w-0 flex-1 truncate text-muted">
            <ExactText text={summaryOf(call.arguments, 120)} />
          </span>
          <Limit call={call} />
        </li>
      ))}
      {rest.length > 0 && (
        <li className="text-muted">
          <ExactText text={texts.further(rest.length, listOf(toolCounts(rest)))} />
        </li>
      )}
    </ul>
  );
}

/** Marks a call that only one of the buttons decides about. */
function Limit({ call: { decisions } }: { readonly call: PendingCall }) {
  const texts = useTexts(cardTexts);
  const [mayApprove, mayReject] = [decisions.includes("approve"), decisions.includes("reject")];
  if (mayApprove === mayReject) return null;
  return <span className="flex-none text-xs text-warn">{mayApprove ? texts.cannotReject : texts.cannotApprove}</span>;
}

/** The tools of calls with how often each occurs, the most frequent first. */
export function toolCounts(calls: readonly Pick<PendingCall, "name">[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { name } of calls) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one).map(([name, count]) => `${name} × ${count}`);
}
