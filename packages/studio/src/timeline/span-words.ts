import type { TraceSpan, Usage } from "undangle/client";

import type { Tone } from "../parts/badge.tsx";
import { useLanguage, useTexts } from "../texts/language.tsx";
import { timelineTexts } from "../texts/timeline-texts.ts";
import { exactDuration } from "./layout/duration.ts";
import { durationOf } from "./layout/rows.ts";
import { elapsedText } from "./layout/ticks.ts";

/** What a person reads about a span. */
export interface SpanWords {
  readonly name: string;
  readonly type: string;
  readonly status: string;
  readonly start: string;
  readonly duration: string;
  /** Empty for spans that used none. */
  readonly tokens: string;
}

/** Describes spans in the language of the page. Starts are relative to `origin`. */
export function useSpanWords(origin: number, now: number): (span: TraceSpan) => SpanWords {
  const texts = useTexts(timelineTexts);
  const language = useLanguage();
  return (span) => {
    const { type, name, status, end, discarded, tokens } = span;
    return {
      name: type === "run" ? (texts.runs[name] ?? name) : type === "wait" ? texts.wait(name) : name,
      type: texts.types[type],
      status: discarded
        ? texts.discarded
        : end === null && type !== "wait"
          ? (texts.statuses[status] ?? texts.running)
          : (texts.statuses[status] ?? status),
      start: elapsedText(span.start - origin, { step: 10, unit: texts.second }),
      duration: exactDuration(durationOf(span, now), language),
      tokens:
        tokens === undefined || tokens.totalTokens === 0
          ? ""
          : texts.tokens(tokens.totalTokens.toLocaleString(language)),
    };
  };
}

/** Tokens with their parts: "1,200 in (900 cached), 80 out". */
export function useTokenParts(): (tokens: Usage) => string {
  const texts = useTexts(timelineTexts);
  const language = useLanguage();
  const number = (count: number): string => count.toLocaleString(language);
  return ({ inputTokens, outputTokens, cachedTokens }) =>
    texts.tokenParts(number(inputTokens), number(outputTokens), number(cachedTokens));
}

const good = new Set(["done", "succeeded", "responded", "stop", "approve", "edit", "respond"]);
const bad = new Set(["failed", "timed-out", "lost", "crashed"]);
const warn = new Set(["waiting", "awaiting", "delegated", "rejected", "reject", "expired", "length", "content_filter"]);

/** The tone of a status, besides its text. */
export function toneOf({ status, discarded }: Pick<TraceSpan, "status" | "discarded">): Tone {
  if (discarded) return "neutral";
  return good.has(status) ? "good" : bad.has(status) ? "bad" : warn.has(status) ? "warn" : "neutral";
}
