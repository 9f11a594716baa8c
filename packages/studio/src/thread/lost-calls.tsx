import { CircleHelp } from "lucide-react";
import type { ReactNode } from "react";
import { flushSync } from "react-dom";
import type { CallView } from "undangle/client";

import { isImported } from "../parts/call-states.ts";
import { ExactText } from "../parts/text/exact-text.tsx";
import { replaceHash } from "../parts/use-hash.ts";
import { useLinkedCall } from "../shell/address.ts";
import { useTexts } from "../texts/language.tsx";
import { threadTexts } from "../texts/thread-texts.ts";
import type { ShownEntry } from "./feed/thread-state.ts";

/** The calls of the entries that are loaded whose outcome is unknown, because the process ended while they ran. */
export const lostCalls = (entries: readonly ShownEntry[]): readonly CallView[] =>
  entries.flatMap((entry) => (isImported(entry) ? [] : entry.calls.filter(({ status }) => status === "lost")));

/** In the header of a thread: how many calls were lost. It leads to the first one, and then to the next. */
export function LostBadge({ calls }: { readonly calls: readonly CallView[] }) {
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
export function LostNames({ calls }: { readonly calls: readonly CallView[] }) {
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
