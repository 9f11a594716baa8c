import type { TraceMark } from "undangle/client";
import { Link } from "wouter";

import { Badge } from "../../parts/badge.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { useRepairText } from "../../parts/repair-text/use-repair-text.ts";
import { threadPlace } from "../../shell/address.ts";
import { useTexts } from "../../texts/language.tsx";
import { timelineTexts } from "../../texts/timeline-texts.ts";
import { useClock } from "./span-details.tsx";

export interface MarkListProps {
  readonly marks: readonly TraceMark[];
  /** The thread on this server; undefined for a trace of a file. */
  readonly threadId: string | undefined;
}

/** Repairs and warnings in the order of their time. */
export function MarkList({ marks, threadId }: MarkListProps) {
  const texts = useTexts(timelineTexts);
  return (
    <>
      {threadId !== undefined && marks.some(({ type }) => type === "repair") && (
        <p className="mb-4 text-sm">
          <Link href={`${threadPlace(threadId)}/repairs`} className="text-accent underline">
            {texts.showRepairs}
          </Link>
        </p>
      )}
      <ol className="flex flex-col gap-3">
        {marks
          .toSorted((one, other) => one.at - other.at)
          .map((mark, i) => (
            <Mark key={i} mark={mark} />
          ))}
      </ol>
    </>
  );
}

function Mark({ mark }: { readonly mark: TraceMark }) {
  const { at, type, rule, source } = mark;
  const { markTypes } = useTexts(timelineTexts);
  const clock = useClock();
  const textOf = useRepairText();
  return (
    <li className="border-b border-line pb-3 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={type === "repair" ? "accent" : "warn"}>{markTypes[type]}</Badge>
        {rule !== undefined && <Rule rule={rule} isExplained={source !== "response"} />}
        <span className="text-muted tabular-nums">{clock(at)}</span>
      </p>
      <p className="mt-1 break-words">
        <ExactText text={textOf(mark)} />
      </p>
    </li>
  );
}

/** The doctor explains rules. The anomalies of responses are not among them. */
function Rule({ rule, isExplained }: { readonly rule: string; readonly isExplained: boolean }) {
  const name = <ExactText text={rule} />;
  if (!isExplained) return <span className="font-mono text-xs">{name}</span>;
  return (
    <Link href={`/doctor#explain=${encodeURIComponent(rule)}`} className="font-mono text-xs text-accent underline">
      {name}
    </Link>
  );
}
