import { ApiError } from "../answers/api-error.ts";

/** Lets somebody ask so often a minute, with as many at once. */
export interface RateLimit {
  /** Counts one request. `wait` is 0, or the seconds after which a request over the limit may be sent again. */
  take(who: string): RateState;
}

export interface RateState {
  /** Requests a minute. */
  readonly limit: number;
  /** Requests that may be sent now. */
  readonly remaining: number;
  /** Seconds until `remaining` is `limit` again. */
  readonly reset: number;
  readonly wait: number;
}

/** The state in the headers that clients of OpenAI read. */
export const rateHeaders = ({ limit, remaining, reset }: RateState): Readonly<Record<string, string>> => ({
  "x-ratelimit-limit-requests": String(limit),
  "x-ratelimit-remaining-requests": String(remaining),
  "x-ratelimit-reset-requests": `${reset}s`,
});

/** Refuses a request over the limit. */
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

/** How many callers are remembered; whoever is forgotten begins anew. */
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
      buckets.set(who, { left, at }); // the last one used is the last in the map
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
