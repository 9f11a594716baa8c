import { ApiError } from "../responses/api-error.ts";

/** Allows a number of requests per minute for each caller, with bursts of the same size. */
export interface RateLimit {
  /** Counts a request. `wait` is 0, or the seconds until a request over the limit may be sent again. */
  take(who: string): RateState;
}

export interface RateState {
  /** Requests per minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until `remaining` equals `limit`. */
  readonly reset: number;
  readonly wait: number;
}

/** The state as the headers that OpenAI clients read. */
export const rateHeaders = ({ limit, remaining, reset }: RateState): Readonly<Record<string, string>> => ({
  "x-ratelimit-limit-requests": String(limit),
  "x-ratelimit-remaining-requests": String(remaining),
  "x-ratelimit-reset-requests": `${reset}s`,
});

export function demandRate({ limit, wait }: RateState): void {
  if (wait === 0) return;
  throw new ApiError(429, "rate-limit", `Too many requests: the limit is ${limit} per minute. Retry in ${wait} s.`, {
    headers: { "retry-after": String(wait) },
  });
}

interface Bucket {
  left: number;
  at: number;
}

/** The number of callers in memory. The oldest is dropped, and its count restarts. */
const mostCallers = 10_000;

export function createRateLimit(perMinute: number, now: () => number = Date.now): RateLimit {
  const buckets = new Map<string, Bucket>();
  const perMs = perMinute / 60_000;
  return {
    take(who) {
      const at = now();
      const known = buckets.get(who) ?? { left: perMinute, at };
      const before = Math.min(perMinute, known.left + Math.max(0, at - known.at) * perMs);
      const left = before < 1 ? before : before - 1;
      buckets.delete(who);
      buckets.set(who, { left, at }); // keeps the map in order of use
      if (buckets.size > mostCallers) {
        const [oldest] = buckets.keys();
        if (oldest !== undefined) buckets.delete(oldest);
      }
      const seconds = (requests: number): number => Math.max(1, Math.ceil(requests / perMs / 1000));
      return {
        limit: perMinute,
        remaining: Math.floor(left),
        reset: seconds(perMinute - left),
        wait: before >= 1 ? 0 : seconds(1 - left),
      };
    },
  };
}
