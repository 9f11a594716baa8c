import { Bot } from "lucide-react";
import { useEffect, useState } from "react";
import type { ComponentType } from "react";

import { Failure } from "../parts/failure.tsx";
import { useTexts } from "../texts/language.tsx";
import { threadTexts } from "../texts/thread-texts.ts";
import { useThreadFeed } from "./thread-feed.ts";
import type { ShownCall, ShownEntry } from "./thread-state.ts";

interface SubAgentProps {
  readonly threadId: string;
  readonly call: ShownCall;
  readonly activity: string | undefined;
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
}

/** The conversation of the agent that runs a call. It is read when a person opens it. */
export function SubAgent({ threadId, call, activity, show }: SubAgentProps) {
  const { call: texts } = useTexts(threadTexts);
  const isNamed = (): boolean => linkedCall().startsWith(`${call.id}/`);
  const [isOpen, setIsOpen] = useState(isNamed);
  useEffect(() => {
    const open = (): void => {
      if (linkedCall().startsWith(`${call.id}/`)) setIsOpen(true);
    };
    addEventListener("hashchange", open);
    return () => removeEventListener("hashchange", open);
  }, [call.id]);
  return (
    <div className="min-w-0 rounded-md border border-line bg-page">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex min-h-9 w-full min-w-0 flex-wrap items-center gap-2 rounded-md px-2 py-1 text-left text-sm hover:bg-raised pointer-coarse:min-h-11"
      >
        <Bot size={16} aria-hidden className="flex-none text-muted" />
        <span className="font-medium">{texts.showSubAgent(call.name)}</span>
        {call.status === "running" && activity !== undefined && (
          <span className="min-w-0 truncate text-muted" data-transient>
            {activity === "" ? texts.subAgentWrites : texts.subAgentDoes(activity)}
          </span>
        )}
        <span aria-hidden className={`ml-auto text-muted transition-transform ${isOpen ? "rotate-90" : ""}`}>
          ›
        </span>
      </button>
      {isOpen && <Inside threadId={threadId} call={call} show={show} />}
    </div>
  );
}

/** The id of the call that the address names. */
export const linkedCall = (): string => decodeURIComponent(location.hash.slice(1));

function Inside({ threadId, call, show: Entry }: Omit<SubAgentProps, "activity">) {
  const texts = useTexts(threadTexts);
  const { feed, source } = useThreadFeed({ id: threadId, path: call.id.split("/"), isLive: call.status === "running" });
  const { state, error } = feed;
  if (error !== undefined) return <Failure error={error} onRetry={source.refresh} />;
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
          linked={linkedCall()}
        />
      ))}
    </section>
  );
}

const none: readonly never[] = [];
