import type { TraceMark } from "undangle/client";
import { Link } from "wouter";

import { Badge } from "../../parts/badge.tsx";
import { ExactText } from "../../parts/exact-text.tsx";
import { useTexts } from "../../texts/language.tsx";
import { timelineTexts } from "../../texts/timeline-texts.ts";
import { useClock } from "./span-details.tsx";

/** Repairs and warnings in the order of their time. */
export function MarkList({ marks }: { readonly marks: readonly TraceMark[] }) {
  const texts = useTexts(timelineTexts);
  const clock = useClock();
  return (
    <ol className="flex flex-col gap-3">
      {marks
        .toSorted((one, other) => one.at - other.at)
        .map(({ at, type, message, rule }, i) => (
          <li key={i} className="border-b border-line pb-3 text-sm">
            <p className="flex flex-wrap items-center gap-2">
              <Badge tone={type === "repair" ? "accent" : "warn"}>{texts.markTypes[type]}</Badge>
              {rule !== undefined && (
                <Link
                  href={`/doctor#explain=${encodeURIComponent(rule)}`}
                  className="font-mono text-xs text-accent underline"
                >
                  <ExactText text={rule} />
                </Link>
              )}
              <span className="text-muted tabular-nums">{clock(at)}</span>
            </p>
            <p className="mt-1 break-words">
              <ExactText text={message} />
            </p>
          </li>
        ))}
    </ol>
  );
}
