import { Bot } from "lucide-react";
import { useEffect, useState } from "react";
import type { ComponentType } from "react";

import { ExactText } from "../../parts/text/exact-text.tsx";
import { Failure } from "../../parts/failure.tsx";
import { useLinkedCall } from "../../shell/address.ts";
import { useTexts } from "../../texts/language.tsx";
import { threadTexts } from "../../texts/thread-texts.ts";
import { useThreadFeed } from "../feed/thread-feed.ts";
import type { ShownCall, ShownEntry } from "../feed/thread-state.ts";
import { useReportLost } from "../lost-calls.tsx";

interface SubAgentProps {
  readonly threadId: string;
  readonly call: ShownCall;
  readonly activity: string | undefined;
  /** How often the thread of the call was read. */
  readonly reads: number;
  /** Shows an entry. Its calls may have sub-agents too. */
  readonly show: ComponentType<InnerEntry>;
}

interface InnerEntry {
  readonly threadId: string;
  readonly entry: ShownEntry;
  readonly isLive: boolean;
  readonly discarded: readonly string[];
  readonly activity: Readonly<Record<string, string>>;
  readonly pending: readonly never[];
  readonly linked: string;
  readonly reads: number;
}

/** The conversation of the agent that runs a call. It is read when a person opens it. */
export function SubAgent({ threadId, call, activity, reads, show }: SubAgentProps) {
  const { call: texts } = useTexts(threadTexts);
  const [isOpen, setIsOpen] = useOpen(threadId, call.id);
  return (
    <div className="min-w-0 rounded-md border border-line bg-page">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex min-h-9 w-full min-w-0 flex-wrap items-center gap-2 rounded-md px-2 py-1 text-left text-sm hover:bg-raised pointer-coarse:min-h-11"
      >
        <Bot size={16} aria-hidden className="flex-none text-muted" />
        <span className="font-medium">
          <ExactText text={texts.showSubAgent(call.name)} />
        </span>
        {call.status === "running" && activity !== undefined && (
          <span className="min-w-0 truncate text-muted" data-transient>
            <ExactText text={activity === "" ? texts.subAgentWrites : texts.subAgentDoes(activity)} />
          </span>
        )}
        <span aria-hidden className={`ml-auto text-muted transition-transform ${isOpen ? "rotate-90" : ""}`}>
          ›
        </span>
      </button>
      {isOpen && <Inside threadId={threadId} call={call} reads={reads} show={show} />}
    </div>
  );
}

/** The sub-agents that are open. The list removes cards out of sight from the document, and adds them again. */
const openCalls = new Set<string>();

/** Whether the sub-agent of a call is open. An address that names one of its calls opens it. */
function useOpen(threadId: string, callId: string): readonly [boolean, (isOpen: boolean) => void] {
  const place = `${threadId} ${callId}`;
  const linked = useLinkedCall();
  const isNamed = linked.startsWith(`${callId}/`);
  const [isOpen, setIsOpen] = useState(() => isNamed || openCalls.has(place));
  useEffect(() => {
    if (isOpen) openCalls.add(place);
    else openCalls.delete(place);
  }, [isOpen, place]);
  useEffect(() => {
    if (isNamed) setIsOpen(true);
  }, [isNamed, linked]); // another call of the same sub-agent opens it again
  return [isOpen, setIsOpen];
}

function Inside({ threadId, call, reads, show: Entry }: Omit<SubAgentProps, "activity">) {
  const texts = useTexts(threadTexts);
  const linked = useLinkedCall();
  const isLive = call.status === "running";
  const [attempt, setAttempt] = useState(0);
  const version = `${call.status} ${attempt}`;
  const { feed, source } = useThreadFeed({ id: threadId, path: call.id.split("/"), isLive, version });
  useEffect(() => source.refresh(), [source, reads]); // a thread that is not followed is read again with its parent
  const { state, error } = feed;
  useReportLost(state?.entries);
  if (error !== undefined) return <Failure error={error} onRetry={() => setAttempt(attempt + 1)} />;
  if (state === undefined) return <p className="px-3 pb-2 text-muted">{texts.loading}</p>;
  const shown = state.live === undefined ? state.entries : [...state.entries, state.live];
  return (
    <section
      aria-label={texts.call.subAgent(call.name)}
      className="flex min-w-0 flex-col gap-3 border-t border-line p-3"
    >
      {state.before !== null && (
        <button type="button" className="self-start text-accent underline" onClick={() => void source.loadOlder()}>
          {texts.earlier}
        </button>
      )}
      {shown.map((entry) => (
        <Entry
          key={entry.entry}
          threadId={threadId}
          entry={entry}
          isLive={entry === state.live}
          discarded={entry === state.live ? state.discarded : none}
          activity={state.activity}
          pending={none}
          linked={linked}
          reads={state.reads}
        />
      ))}
    </section>
  );
}

const none: readonly never[] = [];
