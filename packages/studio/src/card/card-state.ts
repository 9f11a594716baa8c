import { useState } from "react";
import type { CallView, PendingCall, ShownDecision } from "undangle/client";

import { useQueue } from "../api/queue.ts";
import { useScopes, useSession } from "../api/session.ts";
import { useIsPast } from "../parts/moment.tsx";
import { useOutcome } from "./call-outcome.tsx";
import { refusedCall, useDeciding } from "./decide.ts";
import type { Deciding } from "./decide.ts";

/** What a card may offer now. */
export type CardState =
  | { readonly phase: "open"; readonly failure?: unknown }
  | { readonly phase: "sending"; readonly attempt: number }
  /** It no longer waits. `outcome` is undefined until it is read, and for a key that may not read it. */
  | {
      readonly phase: "gone";
      readonly outcome: CallView | undefined;
      readonly decision: ShownDecision | undefined;
      readonly isHere: boolean;
    }
  /** Other arguments wait under the same id. */
  | { readonly phase: "changed"; readonly now: PendingCall }
  /** The server reports soon whether a decision came in time. */
  | { readonly phase: "expired" }
  | { readonly phase: "forbidden" }
  /** Until the rights of the key are read. */
  | { readonly phase: "unknown" };

/** Whether the shown call can still be decided here, from the queue, the clock, the session and earlier decisions. */
export function useCardState(threadId: string, shown: PendingCall, given: PendingCall): CardState {
  const { threads, connection } = useQueue();
  const isPast = useIsPast(shown.deadline);
  const { data: session } = useSession();
  const { isKnown, mayDecide, mayRead } = useScopes();
  const deciding = useDeciding(threadId, shown);
  const live = threads.find(({ id }) => id === threadId)?.pending.find(({ id }) => id === shown.id);
  const [wasSeen, setWasSeen] = useState(false); // the queue may learn of a call later than the page
  if (live !== undefined && !wasSeen) setWasSeen(true);
  const refused = deciding?.phase === "failed" ? refusedCall(deciding.error, shown) : undefined;
  const isAccepted = deciding?.phase === "accepted";
  const isGone =
    isAccepted ||
    (wasSeen && live === undefined && connection === "open") ||
    (refused !== undefined && refused.status !== "awaiting");
  const outcome = useOutcome(threadId, shown.id, isGone && mayRead);
  const newest = refused?.pending ?? live ?? given;
  if (deciding?.phase === "sending") return { phase: "sending", attempt: deciding.attempt };
  if (isGone) {
    const decision = isAccepted ? madeHere(deciding, session?.by) : refused?.decision;
    return { phase: "gone", outcome, decision, isHere: isAccepted };
  }
  if (newest.digest !== shown.digest) return { phase: "changed", now: newest };
  if (isPast) return { phase: "expired" };
  if (!mayDecide) return { phase: isKnown ? "forbidden" : "unknown" };
  return { phase: "open", ...(deciding?.phase === "failed" && { failure: deciding.error }) };
}

/** True if it is known what became of the call: it will not wait again. */
export const isKnownDecided = (state: CardState): boolean =>
  state.phase === "gone" &&
  (state.decision !== undefined || (state.outcome !== undefined && state.outcome.status !== "awaiting"));

/** A decision of this tab, as the server records it. */
function madeHere(
  { decision, at }: Extract<Deciding, { readonly phase: "accepted" }>,
  by: string | undefined,
): ShownDecision {
  const { type } = decision;
  const reason = type === "reject" ? decision.reason : undefined;
  return { type, at, ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) };
}
