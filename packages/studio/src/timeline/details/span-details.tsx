import type { ReactNode } from "react";
import type { TraceSpan } from "undangle/client";
import { Link } from "wouter";

import { useKeyName } from "../../api/people.ts";
import { Badge } from "../../parts/badge.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { FoldedText, JsonText } from "../../parts/text/folded-text.tsx";
import { threadPlace } from "../../shell/address.ts";
import { cardTexts } from "../../texts/card-texts.ts";
import { composerTexts } from "../../texts/composer-texts.ts";
import { useLanguage, useTexts } from "../../texts/language.tsx";
import { stateTexts } from "../../texts/state-texts.ts";
import { timelineTexts } from "../../texts/timeline-texts.ts";
import { CallContents } from "./call-contents.tsx";
import { Exchange } from "./exchange.tsx";
import { isLost, toneOf, useSpanWords, useTokenParts } from "../span-words.ts";

export interface SpanDetailsProps {
  readonly span: TraceSpan;
  /** The thread on this server; undefined for a trace of a file. */
  readonly threadId: string | undefined;
  readonly origin: number;
  readonly now: number;
  /** The currency of costs. */
  readonly currency: string | undefined;
}

/** Everything that the trace contains about a span, and the request and response of a model. */
export function SpanDetails({ span, threadId, origin, now, currency }: SpanDetailsProps) {
  const { details, ...texts } = useTexts(timelineTexts);
  const { decided } = useTexts(stateTexts);
  const { modes } = useTexts(composerTexts);
  const { withAllowance } = useTexts(cardTexts);
  const clock = useClock();
  const words = useSpanWords({ origin, now, currency })(span);
  const partsOf = useTokenParts();
  const nameOf = useKeyName();
  const { decision, entry, path = [], call_id: call } = span;
  const hasContents = call !== undefined && entry !== undefined && threadId !== undefined;
  return (
    <div className="flex flex-col gap-4">
      <p className="flex flex-wrap items-center gap-2">
        <Badge>{words.type}</Badge>
        <Badge tone={toneOf(span)}>
          <ExactText text={words.status} />
        </Badge>
      </p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-sm">
        <Fact name={details.start}>
          {clock(span.start)} <span className="text-muted">({words.start})</span>
        </Fact>
        <Fact name={details.end}>
          {span.end === null ? texts.notEnded : isLost(span) ? texts.unknown : clock(span.end)}
        </Fact>
        <Fact name={details.duration}>{words.duration}</Fact>
        {span.tokens !== undefined && <Fact name={details.tokens}>{partsOf(span.tokens)}</Fact>}
        {span.cost !== undefined && <Fact name={details.cost}>{words.cost}</Fact>}
        {span.agent !== undefined && (
          <Fact name={details.agent}>
            <ExactText text={span.agent} />
          </Fact>
        )}
        {span.mode !== undefined && (
          <Fact name={details.mode}>
            <ExactText text={Object.hasOwn(modes, span.mode) ? modes[span.mode] : span.mode} />
          </Fact>
        )}
        {span.purpose !== undefined && (
          <Fact name={details.purpose}>
            <ExactText text={span.purpose} />
          </Fact>
        )}
        {call !== undefined && (
          <Fact name={details.call}>
            <code className="font-mono text-xs">
              <ExactText text={call} />
            </code>{" "}
            {threadId !== undefined && (
              <Link href={`${threadPlace(threadId)}#${encodeURIComponent(call)}`} className="text-accent underline">
                {details.inChat}
              </Link>
            )}
          </Fact>
        )}
        {path.length > 0 && (
          <Fact name={details.path}>
            <code className="font-mono text-xs">
              <ExactText text={path.join(" › ")} />
            </code>
          </Fact>
        )}
        {decision !== undefined && (
          <Fact name={details.decision}>
            <ExactText text={`${decided(decision.type, decision.by && nameOf(decision.by))} · ${clock(decision.at)}`} />
          </Fact>
        )}
        {decision?.reason !== undefined && (
          <Fact name={details.reason}>
            <ExactText text={decision.reason} />
          </Fact>
        )}
        {decision?.always !== undefined && (
          <Fact name={details.always}>
            <ExactText text={withAllowance(decision.always, path.length > 0)} />
          </Fact>
        )}
      </dl>
      {span.error !== undefined && (
        <section aria-label={details.error}>
          <h3 className="mb-1 text-sm font-medium text-bad">{details.error}</h3>
          <FoldedText text={span.error} />
        </section>
      )}
      {hasContents && <CallContents threadId={threadId} span={span} entry={entry} />}
      {!hasContents && decision?.proposed !== undefined && (
        <section aria-label={details.proposed}>
          <h3 className="mb-1 text-sm font-medium">{details.proposed}</h3>
          <JsonText value={decision.proposed} />
        </section>
      )}
      {span.type === "model" && entry !== undefined && threadId !== undefined && (
        <Exchange threadId={threadId} entry={entry} path={path} />
      )}
      {span.type === "model" && entry === undefined && span.end !== null && (
        <p className="text-sm text-muted">{texts.noExchange}</p>
      )}
    </div>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt className="text-muted">{name}</dt>
    <dd className="min-w-0 break-words tabular-nums">{children}</dd>
  </>
);

/** The date and the time of day, with milliseconds. */
export function useClock(): (at: number) => string {
  const language = useLanguage();
  const format = new Intl.DateTimeFormat(language, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
  });
  return (at) => format.format(at);
}
