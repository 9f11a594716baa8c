import { ChevronRight } from "lucide-react";
import { useState } from "react";

import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { useTexts } from "../../texts/language.tsx";
import { doctorTexts } from "../../texts/doctor-texts.ts";
import { placeOfRule } from "../doctor-place.ts";
import type { MessageView, ProblemView, Segment } from "../work/examination.ts";
import type { DoctorWorker } from "../work/worker-client.ts";

export interface MessageListProps {
  readonly side: "before" | "after";
  readonly segments: readonly Segment[];
  readonly request: DoctorWorker["request"];
  /** The message of the current edit. */
  readonly current: number | undefined;
  readonly notes?: (index: number) => readonly ProblemView[];
}

/** The messages of a history. Those with findings are open, runs without any are folded. */
export function MessageList({ side, segments, request, current, notes = () => [] }: MessageListProps) {
  return (
    <ol className="flex flex-col gap-1.5">
      {segments.map((segment) =>
        segment.type === "fold" ? (
          <Fold key={`fold ${segment.from}`} side={side} fold={segment} request={request} current={current} />
        ) : (
          segment.messages.map((message) => (
            <Message
              key={message.index}
              side={side}
              message={message}
              isCurrent={message.index === current}
              notes={notes(message.index)}
            />
          ))
        ),
      )}
    </ol>
  );
}

/** The number of messages that one click shows. */
const step = 50;

interface FoldProps extends Pick<MessageListProps, "side" | "request" | "current"> {
  readonly fold: Extract<Segment, { readonly type: "fold" }>;
}

function Fold({ side, fold: { from, count }, request, current }: FoldProps) {
  const texts = useTexts(doctorTexts);
  const [shown, setShown] = useState<readonly MessageView[]>([]);
  const rest = count - shown.length;
  const more = async (): Promise<void> => {
    const loaded = await request("messages", { side, from: from + shown.length, count: Math.min(step, rest) });
    setShown([...shown, ...loaded]);
  };
  return (
    <>
      {shown.map((message) => (
        <Message key={message.index} side={side} message={message} isCurrent={message.index === current} notes={[]} />
      ))}
      {rest > 0 && (
        <li className="flex flex-wrap items-center gap-x-3 border-y border-dashed border-line px-2 py-1 text-sm text-muted">
          {texts.unchanged(rest)}
          <Button look="quiet" onClick={() => void more()}>
            {texts.showMore(Math.min(step, rest))}
          </Button>
        </li>
      )}
    </>
  );
}

interface MessageProps {
  readonly side: "before" | "after";
  readonly message: MessageView;
  readonly isCurrent: boolean;
  readonly notes: readonly ProblemView[];
}

const borders = { before: "border-bad", after: "border-good" } as const;

function Message({ side, message: { index, label, preview, lines, isMarked }, isCurrent, notes }: MessageProps) {
  const texts = useTexts(doctorTexts);
  return (
    <li id={`${side}-${index}`}>
      <details
        open={isMarked}
        className={`group rounded-md border bg-surface ${isMarked ? borders[side] : "border-line"} ${isCurrent ? "ring-2 ring-accent" : ""}`}
      >
        <summary className="flex min-h-9 items-center gap-2 px-2 py-1.5 text-sm pointer-coarse:min-h-11">
          <ChevronRight size={14} className="flex-none text-muted group-open:rotate-90" aria-hidden />
          <span className="flex-none font-mono text-xs text-muted" aria-label={texts.message(index)}>
            {index}
          </span>
          <span className="flex-none font-medium">
            <ExactText text={label} />
          </span>
          <span className="min-w-0 truncate text-muted">
            <ExactText text={preview} />
          </span>
        </summary>
        {notes.map(({ rule, title, path, message, isRepairable, isLikely }, i) => (
          <p key={i} className="mx-2 mb-2 rounded bg-bad-soft px-2 py-1.5 text-sm break-words">
            <a href={placeOfRule(rule)} className="font-medium text-bad underline underline-offset-4">
              {title}
            </a>{" "}
            {isLikely && <Badge tone="warn">{texts.likely}</Badge>} {message !== "" && <ExactText text={message} />}{" "}
            <code className="font-mono text-xs">
              <ExactText text={path} />
            </code>{" "}
            {!isRepairable && texts.cannotRepair}
          </p>
        ))}
        <pre
          tabIndex={0}
          role="group"
          aria-label={`${texts.message(index)}, JSON`}
          className="max-h-96 overflow-auto border-t border-line px-2 py-1.5 font-mono text-xs whitespace-pre-wrap"
        >
          {lines.map(({ depth, text, isMarked: isPlace }, i) => (
            <span
              key={i}
              className={`block break-words ${isPlace ? (side === "before" ? "bg-bad-soft" : "bg-good-soft") : ""}`}
              style={{ paddingLeft: `${depth * 2}ch` }}
            >
              <ExactText text={text} />
            </span>
          ))}
        </pre>
      </details>
    </li>
  );
}
