import { useEffect, useState } from "react";

import { useTexts } from "../texts/language.tsx";
import { threadTexts } from "../texts/thread-texts.ts";
import { textOf } from "./conversation/entry-view.tsx";
import type { ThreadState } from "./feed/thread-state.ts";

interface Announcement {
  readonly number: number;
  readonly text: string;
}

/** Reports finished responses and pending calls to screen readers, instead of every token. */
export function Announcer({ state, pending }: { readonly state: ThreadState; readonly pending: number }) {
  const texts = useTexts(threadTexts);
  const [announcements, setAnnouncements] = useState<readonly Announcement[]>([]);
  /** Every announcement keeps its element: screen readers repeat an element whose text changes. */
  const announce = (text: string): void =>
    setAnnouncements((before) => [...before.slice(-4), { number: (before.at(-1)?.number ?? 0) + 1, text }]);
  const last = state.entries.findLast(({ type, queued }) => type === "turn" && queued !== true);
  const finished = state.isRunning || last === undefined ? undefined : last.entry;
  const text = last === undefined ? "" : textOf(last).slice(0, 300);
  useLater(finished, () => announce(texts.finished(text)));
  useLater(pending, () => {
    if (pending > 0) announce(texts.needsDecision(pending));
  });
  return (
    <div role="log" aria-live="polite" className="sr-only">
      {announcements.map(({ number, text: sentence }) => (
        <p key={number}>{sentence}</p>
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
