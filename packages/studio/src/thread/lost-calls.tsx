import { CircleHelp } from "lucide-react";
import { createContext, useCallback, useContext, useEffect, useState } from "react";
import type { ReactNode } from "react";
import { flushSync } from "react-dom";
import { isImported } from "../parts/call-states.ts";
import { ExactText } from "../parts/text/exact-text.tsx";
import { replaceHash } from "../parts/use-hash.ts";
import { useLinkedCall } from "../shell/address.ts";
import { useTexts } from "../texts/language.tsx";
import { threadTexts } from "../texts/thread-texts.ts";
import type { LostCall, ShownEntry, ThreadState } from "./feed/thread-state.ts";

/** The lost calls of the entries that are loaded. */
export const lostCalls = (entries: readonly ShownEntry[]): readonly LostCall[] =>
  entries.flatMap((entry) => (isImported(entry) ? [] : entry.calls.filter(({ status }) => status === "lost")));

/** The same with the calls of sub-agents that are known, each after the call that its sub-agent ran. */
export function lostInTree(
  { entries, lostInside }: Pick<ThreadState, "entries" | "lostInside">,
  read: readonly LostCall[],
): readonly LostCall[] {
  const inside = [...new Map([...lostInside, ...read].map((call) => [call.id, call])).values()].sort(byPlace);
  const own = new Set(lostCalls(entries));
  return entries
    .flatMap(({ calls }) => calls)
    .flatMap((call) => [
      ...(own.has(call) ? [call] : []),
      ...inside.filter(({ id }) => id.startsWith(`${call.id}/`)), // empty for a call that the entries do not have
    ]);
}

/** `call_2` is before `call_10`. */
const byPlace = (one: LostCall, other: LostCall): number => one.id.localeCompare(other.id, "en", { numeric: true });

type Report = (calls: readonly LostCall[]) => void;

/** Lets sub-agents report their lost calls to the page of their thread. */
export const LostReport = createContext<Report>(() => undefined);

/** The lost calls of sub-agents that a person has opened. They stay known when the sub-agents are closed. */
export function useReadLost(): readonly [read: readonly LostCall[], report: Report] {
  const [read, setRead] = useState<readonly LostCall[]>([]);
  const report = useCallback((calls: readonly LostCall[]): void => {
    setRead((known) => {
      const more = calls.filter(({ id }) => !known.some((each) => each.id === id));
      return more.length === 0 ? known : [...known, ...more];
    });
  }, []);
  return [read, report];
}

/** Reports the lost calls among the entries of a sub-agent. */
export function useReportLost(entries: readonly ShownEntry[] | undefined): void {
  const report = useContext(LostReport);
  useEffect(() => {
    const lost = entries === undefined ? [] : lostCalls(entries);
    if (lost.length > 0) report(lost);
  }, [entries, report]);
}

/** In the header of a thread: how many calls were lost. It leads to the first one, and then to the next. */
export function LostBadge({ calls }: { readonly calls: readonly LostCall[] }) {
  const texts = useTexts(threadTexts);
  const linked = useLinkedCall();
  const next = calls[(calls.findIndex(({ id }) => id === linked) + 1) % calls.length];
  if (next === undefined) return null;
  return (
    <CallLink
      id={next.id}
      className="inline-flex items-center gap-1 rounded bg-bad-soft px-1.5 py-0.5 text-xs font-medium text-bad pointer-coarse:min-h-11"
    >
      <CircleHelp size={12} aria-hidden /> {texts.lostCalls(calls.length)}
    </CallLink>
  );
}

/** The lost calls by name, each with a link to its place. */
export function LostNames({ calls }: { readonly calls: readonly LostCall[] }) {
  const texts = useTexts(threadTexts);
  if (calls.length === 0) return null;
  return (
    <span className="flex flex-wrap gap-x-2">
      {texts.lostNames}
      {calls.map(({ id, name }) => (
        <CallLink key={id} id={id} className="font-mono break-all underline">
          <ExactText text={`${name} (${id})`} />
        </CallLink>
      ))}
    </span>
  );
}

interface CallLinkProps {
  readonly id: string;
  readonly className: string;
  readonly children: ReactNode;
}

/** A link to a call of this thread, which also works again when the person has scrolled away from the call. */
function CallLink({ id, className, children }: CallLinkProps) {
  const linked = useLinkedCall();
  return (
    <a
      href={`#${encodeURIComponent(id)}`}
      className={className}
      onClick={() => linked === id && flushSync(() => replaceHash(""))}
    >
      {children}
    </a>
  );
}
