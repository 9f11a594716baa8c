import type { PendingCall } from "undangle/client";

import { JsonText } from "../parts/folded-text.tsx";

export interface ApprovalCardProps {
  readonly threadId: string;
  readonly call: PendingCall;
}

/** A pending call: what will happen, why it was stopped, and the decisions that its rule permits. */
export function ApprovalCard({ call }: ApprovalCardProps) {
  return (
    <section aria-label={call.title ?? call.name} className="rounded-lg border border-warn bg-surface p-3">
      <JsonText value={call.arguments} />
    </section>
  );
}
