/** The delay that a provider requests, from headers or its message. */
export function retryAfter(headers: HeaderSource | undefined, words: string, now: number): number | undefined {
  return fromHeaders(headers, now) ?? fromWords(words);
}

/** The part of `Headers` that is read. */
export interface HeaderSource {
  get(name: string): string | null;
}

function fromHeaders(headers: HeaderSource | undefined, now: number): number | undefined {
  const exact = headers?.get("retry-after-ms") ?? "";
  if (/^\s*\d+(?:\.\d+)?\s*$/u.test(exact)) return Math.ceil(Number(exact));
  const given = headers?.get("retry-after")?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/u.test(given)) return Math.ceil(Number(given) * 1000);
  const date = /[a-z]/iu.test(given) ? Date.parse(given) : Number.NaN; // otherwise an invalid number would parse as a year
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** A duration such as "6m2.5s", "300ms" or "26 seconds". */
const span = /(?<!\d)(\d{1,15}(?:\.\d{1,15})?)\s{0,9}(milliseconds?|ms|hours?|h|minutes?|m|seconds?|s)(?![a-z])/giu;

function unitOf(word: string): number {
  if (/^(?:ms|milli)/iu.test(word)) return 1;
  return { s: 1000, m: 60_000, h: 3_600_000 }[word.charAt(0).toLowerCase()] ?? 0;
}

/** Google sends it in the error details; OpenAI and compatible servers in the message. */
function fromWords(words: string): number | undefined {
  const [, delay] = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/u.exec(words) ?? [];
  if (delay !== undefined) return Math.ceil(Number(delay) * 1000);
  const [, spoken = ""] = /(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?\s*[a-z]+\s*)+)/iu.exec(words) ?? [];
  const spans = [...spoken.matchAll(span)];
  const sum = spans.reduce((all, [, number, unit = ""]) => all + Number(number) * unitOf(unit), 0);
  return spans.length === 0 ? undefined : Math.ceil(sum);
}
