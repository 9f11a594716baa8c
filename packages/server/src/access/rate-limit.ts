import { ApiError } from "../answers/api-error.ts";

/** Lets somebody ask so often a minute, with as many at once. */
export interface RateLimit {
  /** Counts one request; the one that is too many is refused, and told when to come back. */
  take(who: string): void;
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
      const left = Math.min(perMinute, known.left + Math.max(0, at - known.at) * perMs);
      buckets.delete(who);
      buckets.set(who, { left: left < 1 ? left : left - 1, at }); // the last one used is the last in the map
      if (buckets.size > mostCallers) {
        const [oldest] = buckets.keys();
        if (oldest !== undefined) buckets.delete(oldest);
      }
      if (left >= 1) return;
      const seconds = Math.max(1, Math.ceil((1 - left) / perMs / 1000));
      throw new ApiError(
        429,
        "rate-limit",
        `Too many requests: ${perMinute} a minute are answered. Try again in ${seconds} s.`,
        {
          headers: { "retry-after": String(seconds) },
        },
      );
    },
  };
}
