import { useEffect, useState } from "react";

import { useTexts } from "../texts/language.tsx";
import { threadTexts } from "../texts/thread-texts.ts";
import { textOf } from "./entry-view.tsx";
import type { ThreadState } from "./thread-state.ts";

/** Reports finished responses and pending calls to screen readers, instead of every token. */
export function Announcer({ state, pending }: { readonly state: ThreadState; readonly pending: number }) {
  const texts = useTexts(threadTexts);
  const [said, setSaid] = useState<readonly string[]>([]);
  const last = state.entries.findLast(({ type, queued }) => type === "turn" && queued !== true);
  const finished = state.isRunning || last === undefined ? undefined : last.entry;
  const text = last === undefined ? "" : textOf(last).slice(0, 300);
  useLater(finished, () => setSaid((before) => [...before.slice(-4), texts.finished(text)]));
  useLater(pending, () => {
    if (pending > 0) setSaid((before) => [...before.slice(-4), texts.needsDecision(pending)]);
  });
  return (
    <div role="log" aria-live="polite" className="sr-only">
      {said.map((sentence, i) => (
        <p key={i}>{sentence}</p>
      ))}
    </div>
  );
}

/** Acts when a value has changed, but not for its first value. */
function useLater(value: number | undefined, act: () => void): void {
  const [before, setBefore] = useState(value);
  useEffect(() => {
    if (value === before) return;
    setBefore(value);
    if (value !== undefined) act();
  });
}
