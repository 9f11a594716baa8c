import { useMemo } from "react";
import type { PendingCall } from "undangle/client";

import { ExactText } from "../parts/text/exact-text.tsx";
import { DestructiveBadge, isDestructive } from "./contents/card-details.tsx";
import { summaryOf } from "./edit/schema-fields.ts";

interface CallSummaryProps {
  readonly call: PendingCall;
  /** Instead of the tool of the call. */
  readonly tool?: string | undefined;
  /** Instead of its arguments. */
  readonly text?: string | undefined;
}

/** What the buttons below it decide about. Hidden from screen readers, which get it from the card and from the names of the buttons. */
export function CallSummary({ call, tool = call.title ?? call.name, text }: CallSummaryProps) {
  const summary = useMemo(() => text ?? summaryOf(call.arguments), [call, text]);
  return (
    <p aria-hidden data-summary className="line-clamp-2 w-full text-sm break-words whitespace-pre-wrap text-muted">
      <span className="font-medium text-ink">
        <ExactText text={tool} />
      </span>{" "}
      {isDestructive(call) && (
        <>
          <DestructiveBadge call={call} />{" "}
        </>
      )}
      <ExactText text={summary} />
    </p>
  );
}
