import { useState } from "react";
import type { CallView, PendingCall } from "undangle/client";

import { useQueue } from "../api/queue.ts";
import { useSession } from "../api/session.ts";
import { useNow } from "../parts/moment.tsx";
import { useFate } from "./call-fate.tsx";
import { refusedCall, useDeciding } from "./decide.ts";
import type { Decision } from "./decide.ts";

/** What a card may offer now. */
export type Standing =
  | { readonly phase: "open"; readonly failure?: unknown }
  | { readonly phase: "sending"; readonly attempt: number }
  /** It no longer waits. `fate` is undefined until it is read, `accepted` unless the decision was made in this tab. */
  | { readonly phase: "gone"; readonly fate: CallView | undefined; readonly accepted: Decision | undefined }
  /** Other arguments wait under the same id. */
  | { readonly phase: "changed"; readonly now: PendingCall }
  | { readonly phase: "expired" }
  | { readonly phase: "forbidden" };

/** Whether the shown call can still be decided here, from the queue, the clock, the session and earlier decisions. */
export function useStanding(threadId: string, shown: PendingCall, given: PendingCall): Standing {
  const { threads, connection } = useQueue();
  const now = useNow();
  const { data: session } = useSession();
  const deciding = useDeciding(threadId, shown);
  const live = threads.find(({ id }) => id === threadId)?.pending.find(({ id }) => id === shown.id);
  const [wasSeen, setWasSeen] = useState(false); // the queue may learn of a call later than the page
  if (live !== undefined && !wasSeen) setWasSeen(true);
  const refused = deciding?.phase === "failed" ? refusedCall(deciding.error, shown) : undefined;
  const accepted = deciding?.phase === "accepted" ? deciding.decision : undefined;
  const isGone =
    accepted !== undefined ||
    (wasSeen && live === undefined && connection === "open") ||
    (refused !== undefined && refused.status !== "awaiting");
  const { data: fate } = useFate(threadId, shown.id, isGone);
  const newest = refused?.pending ?? live ?? given;
  if (deciding?.phase === "sending") return { phase: "sending", attempt: deciding.attempt };
  if (isGone) return { phase: "gone", fate: fate ?? undefined, accepted };
  if (newest.digest !== shown.digest) return { phase: "changed", now: newest };
  if (shown.deadline !== undefined && shown.deadline <= now) return { phase: "expired" };
  if (session !== undefined && !session.scopes.some((scope) => scope === "approve" || scope === "admin"))
    return { phase: "forbidden" };
  return { phase: "open", ...(deciding?.phase === "failed" && { failure: deciding.error }) };
}
