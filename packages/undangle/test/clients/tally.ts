import type { FaultName } from "undangle/testing";

/** What happened in all conversations so far. */
export interface Tally {
  conversations: number;
  requests: number;
  /** How often a program stopped listening before the answer was over. */
  stops: number;
  damages: number;
  restarts: number;
  switches: number;
  /** Histories that no repair could mend, and that were refused. */
  hopeless: number;
  readonly faults: Map<FaultName, number>;
}

export const createTally = (): Tally => ({
  conversations: 0,
  requests: 0,
  stops: 0,
  damages: 0,
  restarts: 0,
  switches: 0,
  hopeless: 0,
  faults: new Map(),
});

/** One line of figures. */
export function lineFor({ faults, ...figures }: Tally): string {
  const count = [...faults.values()].reduce((sum, each) => sum + each, 0);
  const words = Object.entries(figures).map(([what, figure]) => `${figure} ${what}`);
  return [...words, `${count} faults of ${faults.size} kinds`].join(", ");
}
