import type { TraceSpan, Usage } from "undangle/client";

import { durationText } from "../parts/duration.ts";
import type { Tone } from "../parts/badge.tsx";
import { callTones } from "../parts/call-states.ts";
import { useLanguage, useTexts } from "../texts/language.tsx";
import type { Language } from "../texts/language.tsx";
import { stateTexts } from "../texts/state-texts.ts";
import { timelineTexts } from "../texts/timeline-texts.ts";
import { durationOf } from "./layout/rows.ts";
import { elapsedText } from "./layout/ticks.ts";

/** What a person reads about a span. */
export interface SpanWords {
  readonly name: string;
  /** The name without `which`. */
  readonly shortName: string;
  /** The call of a wait: calls of one tool wait together. Empty for other spans. */
  readonly which: string;
  readonly type: string;
  readonly status: string;
  readonly start: string;
  readonly duration: string;
  /** The same where no heading names it. */
  readonly durationAlone: string;
  /** Empty for spans that used none. */
  readonly tokens: string;
  /** Empty for spans without a price. */
  readonly cost: string;
}

export interface SpanTimes {
  /** Starts are relative to it. */
  readonly origin: number;
  /** Until when open spans last. */
  readonly now: number;
  /** The currency of costs, if the trace has some. */
  readonly currency: string | undefined;
}

/** Describes spans in the language of the page. */
export function useSpanWords({ origin, now, currency }: SpanTimes): (span: TraceSpan) => SpanWords {
  const texts = useTexts(timelineTexts);
  const { states, decisions } = useTexts(stateTexts);
  const ends: Readonly<Record<string, string>> = { ...states, ...decisions, ...texts.ends };
  const language = useLanguage();
  return (span) => {
    const { type, name, agent, status, end, discarded, tokens, cost, call_id: call } = span;
    const duration = durationText(durationOf(span, now), language);
    const shortName =
      type === "run"
        ? agent === undefined
          ? (texts.runs[name] ?? name)
          : texts.runOf(agent.slice(agent.lastIndexOf("/") + 1), texts.runs[name] ?? name) // the names of its parents precede it
        : type === "wait"
          ? texts.wait(name)
          : name;
    const which = type === "wait" && call !== undefined ? call : "";
    return {
      name: which === "" ? shortName : `${shortName} · ${which}`,
      shortName,
      which,
      type: texts.types[type],
      status: discarded
        ? texts.discarded
        : (ends[status] ?? (end === null && type !== "wait" ? states.running : status)),
      start: elapsedText(span.start - origin, { step: 10, unit: texts.second, day: texts.day }),
      duration: isLost(span) ? texts.unknown : duration,
      durationAlone: isLost(span) ? texts.durationUnknown : duration,
      tokens:
        tokens === undefined || tokens.totalTokens === 0
          ? ""
          : texts.tokens(tokens.totalTokens.toLocaleString(language)),
      cost: cost === undefined || currency === undefined ? "" : costText({ amount: cost, currency }, language),
    };
  };
}

/** True for a call that ran when its process ended. When it ended is unknown: its span ends when it was last seen. */
export const isLost = ({ type, status }: Pick<TraceSpan, "type" | "status">): boolean =>
  type === "call" && status === "lost";

/** Tokens with their parts: "1,200 in (900 cached), 80 out". */
export function useTokenParts(): (tokens: Usage) => string {
  const texts = useTexts(timelineTexts);
  const language = useLanguage();
  const number = (count: number): string => count.toLocaleString(language);
  return ({ inputTokens, outputTokens, cachedTokens }) =>
    texts.tokenParts(number(inputTokens), number(outputTokens), number(cachedTokens));
}

/** An amount of money. Most responses cost less than a cent, so it has two digits that are not zero. */
export const costText = (
  { amount, currency }: { readonly amount: number; readonly currency: string },
  language: Language,
): string =>
  new Intl.NumberFormat(language, {
    style: "currency",
    currency,
    ...(amount > 0 && amount < 1 && { maximumSignificantDigits: 2, minimumSignificantDigits: 1 }),
  }).format(amount);

/** The tones of the statuses of runs, responses and waits, besides those of calls. */
const tones: Readonly<Record<string, Tone>> = {
  ...callTones,
  done: "good",
  waiting: "neutral", // the run has ended; the bar of the wait shows whether a person is still awaited
  delegated: "neutral",
  crashed: "bad",
  stop: "good",
  length: "warn",
  content_filter: "warn",
  approve: "good",
  edit: "good",
  respond: "good",
};

/** True for an end that a person looks for. It is written beside the bar, because its colour alone does not name it. */
export const isNotable = ({ status, discarded }: Pick<TraceSpan, "status" | "discarded">): boolean =>
  discarded === true || tones[status] === "bad" || notable.has(status);

const notable = new Set(["rejected", "reject", "expired", "stopped", "superseded", "length", "content_filter"]);

/** The tone of a status, besides its text. */
export const toneOf = ({ status, discarded }: Pick<TraceSpan, "status" | "discarded">): Tone =>
  (discarded ? undefined : tones[status]) ?? "neutral";
