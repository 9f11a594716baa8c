import { isRecord } from "#core";

import type { Phrases } from "./phrases.ts";

const longest = 300;

/** The text of a result as a sentence may show it: JSON in words, on one line, folded when it is long. */
export function shownResult(text: string, words: Phrases): string {
  const line = inWords(text, words)
    .replaceAll(/(?<=[:：])\s*\n\s*(?:- )?/gu, " ")
    .replaceAll(/\s+/gu, (gap) => (gap.includes("\n") ? "; " : gap));
  return folded(line, words);
}

/** A sentence that ends as one. */
export const ended = (text: string, { stop }: Phrases): string =>
  /[.!?。！？…:：;；]$/u.test(text) ? text : `${text}${stop}`;

/** The beginning of a text that is too long, and how long it is. */
export function folded(text: string, words: Phrases, most = longest, length?: number): string {
  const signs = Array.from(text);
  const isWhole = signs.length <= most && (length ?? 0) <= most;
  return isWhole ? text : words.folded(signs.slice(0, most).join("").trimEnd(), length ?? signs.length);
}

/** The time that a result tells, with its zone; undefined when it tells none. */
export function shownTime(text: string, words: Phrases): string | undefined {
  const value = parsed(text);
  const texts = isRecord(value)
    ? Object.entries(value).flatMap(([name, each]) => (typeof each === "string" ? [[name, each] as const] : []))
    : [];
  const time = texts.find(([name, each]) => /time|now|date|clock|时间/iu.test(name) && hasTime(each))?.[1];
  const zone = texts.find(([name]) => /zone|tz|时区/iu.test(name))?.[1];
  if (time !== undefined) return zone === undefined ? time : bracketed(time, zone, words);
  return typeof value !== "object" && hasTime(text) && text.length < 80 && !text.includes("\n") ? text : undefined;
}

const hasTime = (text: string): boolean => /\d{1,2}[:：]\d{2}|\d点/u.test(text);

const bracketed = (text: string, note: string, { stop }: Phrases): string =>
  text.includes(note) ? text : stop === "。" ? `${text}（${note}）` : `${text} (${note})`;

function inWords(text: string, words: Phrases): string {
  const value = parsed(text);
  if (Array.isArray(value) && value.length > 0 && value.every(isScalar)) return words.pairs(value.map(String));
  if (!isRecord(value)) return text;
  const entries = Object.entries(value);
  if (entries.length === 0 || !entries.every(([, each]) => isScalar(each))) return text;
  const [only] = entries;
  if (entries.length === 1 && only !== undefined) return String(only[1]);
  return words.pairs(entries.map(([name, each]) => words.pair(name, String(each))));
}

const isScalar = (value: unknown): value is string | number | boolean | null =>
  typeof value !== "object" || value === null;

function parsed(text: string): unknown {
  if (!/^[[{]/u.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text; // it only looks like JSON
  }
}
