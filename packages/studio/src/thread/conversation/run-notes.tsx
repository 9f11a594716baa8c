import { TriangleAlert } from "lucide-react";

import { Button } from "../../parts/controls/button.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { useTexts } from "../../texts/language.tsx";
import { runTexts } from "../../texts/run-texts.ts";
import { threadTexts } from "../../texts/thread-texts.ts";
import { LostNames, lostCalls } from "../lost-calls.tsx";
import type { RunEnd, ThreadState } from "../feed/thread-state.ts";

interface RunNotesProps {
  readonly state: ThreadState;
  /** True if calls wait for decisions. */
  readonly isWaiting: boolean;
  readonly onRetry: () => void;
}

/** After the last entry: what the run is doing, its warnings, and how it ended if it did not end by itself. */
export function RunNotes({ state, isWaiting, onRetry }: RunNotesProps) {
  const texts = useTexts(threadTexts);
  const words = useTexts(runTexts);
  const { end, warnings, isRunning, live, entries } = state;
  const last = entries.findLast(({ retracted, queued }) => retracted !== true && queued !== true);
  const turn = entries.findLast(({ retracted, calls }) => retracted !== true && calls.length > 0);
  const isBetween =
    isRunning && live === undefined && last?.calls.every(({ endedAt }) => endedAt !== undefined) !== false;
  const isUnanswered = last?.type === "input" && !isRunning && !isWaiting;
  const message = isRunning || end === undefined ? undefined : endingOf(end, words);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {isBetween && <Thinking />}
      {warnings.length > 0 && (
        <ul data-transient aria-label={texts.warnings} className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          {warnings.map((warning) => (
            <li key={warning} className="flex gap-2 break-words">
              <TriangleAlert size={16} aria-hidden className="mt-0.5 flex-none" />
              <span className="min-w-0">
                <ExactText text={warning} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {(message !== undefined || isUnanswered) && (
        <div
          className={`flex min-w-0 flex-wrap items-center gap-2 rounded-md px-3 py-2 text-sm ${end?.status === "failed" ? "bg-bad-soft text-bad" : "bg-raised text-muted"}`}
        >
          <p className="min-w-0 flex-1 basis-60 break-words">
            <ExactText text={message ?? words.unanswered} /> {isWaiting && words.decideFirst}
            {end?.status === "failed" && <LostNames calls={lostCalls(turn === undefined ? [] : [turn])} />}
          </p>
          {!isWaiting && ( // another attempt would cancel the pending calls
            <Button onClick={onRetry}>{message === undefined ? words.respond : words.again}</Button>
          )}
        </div>
      )}
    </div>
  );
}

/** The model was asked, and has not written anything yet. */
export function Thinking() {
  const texts = useTexts(threadTexts);
  return (
    <p className="flex items-center gap-2 text-muted">
      <span aria-hidden className="size-2 animate-pulse rounded-full bg-accent" /> {texts.thinking}
    </p>
  );
}

/** How a run ended, in words; undefined if it ended by itself. */
function endingOf({ status, error, cause }: RunEnd, words: (typeof runTexts)["en"]): string | undefined {
  const reason = error === undefined ? "" : (words.failures[error.code] ?? error.message);
  if (status === "failed") return words.failed(reason);
  if (status !== "stopped") return undefined;
  return `${cause === "superseded" ? words.superseded : words.stopped} ${reason}`.trim();
}
