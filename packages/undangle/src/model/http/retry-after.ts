/** The milliseconds after which a provider wants to be asked again, by what it says in headers or words. */
export function retryAfter(headers: HeaderSource | undefined, words: string, now: number): number | undefined {
  return fromHeaders(headers, now) ?? fromWords(words);
}

/** What of `Headers` is read. */
export interface HeaderSource {
  get(name: string): string | null;
}

function fromHeaders(headers: HeaderSource | undefined, now: number): number | undefined {
  const exact = headers?.get("retry-after-ms") ?? "";
  if (/^\s*\d+(?:\.\d+)?\s*$/u.test(exact)) return Math.ceil(Number(exact));
  const given = headers?.get("retry-after")?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/u.test(given)) return Math.ceil(Number(given) * 1000);
  const date = given === "" ? Number.NaN : Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** Google says it among the details of an error, OpenAI and those who follow it in a sentence. */
function fromWords(words: string): number | undefined {
  const [, delay] = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/u.exec(words) ?? [];
  if (delay !== undefined) return Math.ceil(Number(delay) * 1000);
  const [, spoken = ""] = /(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?(?:ms|h|m|s)\s*)+)/iu.exec(words) ?? [];
  let sum = 0;
  for (const [, number, unit] of spoken.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/giu)) {
    sum += Number(number) * units[unit?.toLowerCase() as keyof typeof units]; // the pattern knows only these
  }
  return spoken === "" ? undefined : Math.ceil(sum);
}
