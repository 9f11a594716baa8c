import { TriangleAlert } from "lucide-react";
import type { PendingCall } from "undangle/client";

import { Badge } from "../../parts/badge.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { durationText } from "../../parts/duration.ts";
import { isoOf, useNow } from "../../parts/moment.tsx";
import { cardTexts } from "../../texts/card-texts.ts";
import { useLanguage, useTexts } from "../../texts/language.tsx";

/** The agents that lead to a call, the outermost first: those of `clerk/researcher`, or the tools of agents without names. */
export function requestersOf({ agent, path }: Pick<PendingCall, "agent" | "path">): readonly string[] {
  if (agent !== undefined) return agent.split("/");
  const steps = path?.split(" > ").slice(0, -1) ?? [];
  return steps.map((step) => step.replace(/#[^#]*$/u, ""));
}

/** True for a call of a sub-agent: its thread is that of one task. */
export const isInTask = ({ id }: Pick<PendingCall, "id">): boolean => id.includes("/");

export const isDestructive = ({ annotations }: Pick<PendingCall, "annotations">): boolean =>
  annotations?.destructive === true;

/** Marks a call of a destructive tool. */
export function DestructiveBadge({ call }: { readonly call: Pick<PendingCall, "annotations"> }) {
  const texts = useTexts(cardTexts);
  return (
    isDestructive(call) && (
      <Badge tone="bad">
        <TriangleAlert size={12} aria-hidden /> {texts.destructive}
      </Badge>
    )
  );
}

export function Requester({ call }: { readonly call: PendingCall }) {
  const texts = useTexts(cardTexts);
  const names = requestersOf(call);
  if (names.length === 0) return null;
  return (
    <span title={call.path}>
      <ExactText text={texts.requestedBy(names.join(" › "))} />
    </span>
  );
}

/** How long a decision is still possible. */
export function Countdown({ at }: { readonly at: number }) {
  const texts = useTexts(cardTexts);
  const language = useLanguage();
  const left = Math.max(at - useNow(), 0);
  const seconds = Math.ceil(left / 1000) * 1000;
  return <time dateTime={isoOf(at)}>{texts.expires(durationText(seconds, language))}</time>;
}
