import { TriangleAlert } from "lucide-react";

import { Button } from "../parts/button.tsx";
import { ExactText } from "../parts/exact-text.tsx";
import { useTexts } from "../texts/language.tsx";
import { threadTexts } from "../texts/thread-texts.ts";
import type { ThreadState } from "./thread-state.ts";

/** After the last entry: warnings of the run, and how it ended if it did not end by itself. */
export function RunNotes({ state, onRetry }: { readonly state: ThreadState; readonly onRetry: () => void }) {
  const texts = useTexts(threadTexts);
  const { end, warnings, isRunning } = state;
  const message =
    end === undefined || isRunning
      ? undefined
      : end.status === "failed"
        ? texts.runFailed(end.error?.message ?? "")
        : end.status === "stopped"
          ? [end.cause === "superseded" ? texts.runSuperseded : texts.runStopped, end.error?.message].join(" ").trim()
          : undefined;
  const isBad = end?.status === "failed";
  return (
    <div className="flex min-w-0 flex-col gap-2">
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
      {message !== undefined && (
        <div
          className={`flex min-w-0 flex-wrap items-center gap-2 rounded-md px-3 py-2 text-sm ${isBad ? "bg-bad-soft text-bad" : "bg-raised text-muted"}`}
        >
          <p className="min-w-0 flex-1 break-words">
            <ExactText text={message} />
          </p>
          <Button onClick={onRetry}>{texts.again}</Button>
        </div>
      )}
    </div>
  );
}
