import { randomFrom } from "../../packages/undangle/src/testing/random.ts";
import type { Random } from "../../packages/undangle/src/testing/random.ts";
import { waysBack } from "./converse.ts";
import type { WayBack } from "./converse.ts";
import { commitKinds } from "./failpoints.ts";
import type { CommitKind, Point } from "./failpoints.ts";
import { canMakeRoom } from "./trouble.ts";
import type { Trouble } from "./trouble.ts";

/** One death of a process: at a place, or some milliseconds after its agent is there, or after it was started. */
export type Death =
  | { readonly point: Point; readonly visit: number }
  | { readonly after: number }
  | { readonly early: number };

/** What else there is to know of a death. */
export type PlannedDeath = Death & {
  /** How the process comes back to what the one before has left; undefined for the first. */
  readonly way: WayBack | undefined;
  readonly trouble: Trouble | undefined;
};

/** What happens to some threads: processes that die one after the other, the later ones while they recover them. */
export interface Plan {
  readonly seed: number;
  readonly threads: readonly string[];
  readonly messages: number;
  readonly expiresAfter: number | undefined;
  readonly deaths: readonly PlannedDeath[];
  /** Two processes recover them at once. */
  readonly hasRivals: boolean;
  /** How the last process, which does not die, comes back to the threads. */
  readonly way: WayBack;
}

/** Plans an episode; the number of the episode sees to it that every place is visited. */
export function planOf(seed: number, episode: number): Plan {
  const own = (seed * 7919 + episode * 104_729) >>> 0;
  const random = randomFrom(own);
  const { below } = random;
  const wayBack = (): WayBack => waysBack[below(waysBack.length)] ?? "recover";
  const deaths = 1 + (below(3) === 0 ? 1 + below(2) : 0);
  return {
    seed: own % 1_000_003,
    threads: below(3) === 0 ? ["t1", "t2", "t3"].slice(0, 2 + below(2)) : ["t1"],
    messages: 1 + below(3),
    expiresAfter: below(5) === 0 ? 40 : undefined,
    deaths: Array.from({ length: deaths }, (_, index) => ({
      ...placeFor(index === 0 ? episode : below(1000), random),
      way: index === 0 ? undefined : wayBack(),
      trouble: below(6) === 0 ? troubleFor(random) : undefined,
    })),
    hasRivals: below(6) === 0,
    way: wayBack(),
  };
}

function placeFor(number: number, { below }: Random): Death {
  const [point, visits] = places[number % places.length] ?? ["random", 250];
  if (point === "random") return { after: below(visits) };
  return point === "opening" ? { early: 40 + below(visits) } : { point, visit: 1 + below(visits) };
}

/** One that is waited for, or one that is too long for that. */
function troubleFor({ below }: Random): Trouble {
  const type = canMakeRoom && below(2) === 0 ? "full" : "locked";
  const isLong = below(3) === 0;
  return { type, after: below(60), length: isLong ? 250 : 100, storeWait: isLong ? 60 : 20_000 };
}

/** Where processes die, and how often at most they come there before. */
const places: readonly (readonly [point: Point | "random" | "opening", visits: number])[] = [
  ...commitKinds.flatMap((kind) => [
    [`${kind}:before`, visitsOf(kind)] as const,
    [`${kind}:after`, visitsOf(kind)] as const,
  ]),
  ["statement", 40],
  ["read", 4],
  ["beat", 2],
  ["gate", 2],
  ["tool:before", 4],
  ["tool:middle", 4],
  ["tool:after", 4],
  ["stream", 40],
  ["idle", 1],
  ["opening", 150],
  ["tool:middle", 8],
  ["tool:after", 8],
  ["recover", 1], // only of use to those that come back
  ...Array.from({ length: 8 }, () => ["random", 250] as const),
];

function visitsOf(kind: CommitKind): number {
  return kind === "say" || kind === "close" ? 1 : kind === "decision" ? 2 : 4;
}
