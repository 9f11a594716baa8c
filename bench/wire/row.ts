// Measures one row of the benchmark in a process of its own, and sends what came of it to the one that has asked.
import { wireOf } from "../streams/wire.ts";
import type { WireOptions } from "../streams/wire.ts";
import { programsFor, ways } from "./programs.ts";
import { median } from "../measure/text-table.ts";
import { measureRunning, ratioOf } from "./running-costs.ts";

/** What is measured. */
export interface RowAsked extends WireOptions {
  /** The server that has the stream; left out, it comes from memory. */
  readonly address?: string | undefined;
  readonly rounds: number;
}

export interface RowMeasured {
  readonly events: number;
  /** Milliseconds of CPU time of the first way. */
  readonly base: number;
  /** Times those, for each of the others. */
  readonly ratios: readonly number[];
}

process.once("message", (asked) => void measure(asked as RowAsked)); // nobody else sends anything

async function measure({ address, rounds, ...asked }: RowAsked): Promise<void> {
  const wire = wireOf(asked);
  const costs = await measureRunning(programsFor(wire, address), rounds);
  const [first, ...others] = ways;
  const ratios = others.map((way) => ratioOf(costs, way, first));
  const measured: RowMeasured = { events: wire.events, base: median(costs.get(first) ?? []), ratios };
  process.send?.(measured, () => process.exit());
}
