import { threeDigits } from "../measure/text-table.ts";
import type { Verdict } from "../measure/verdict.ts";
import { baseline, repairRow } from "./contenders.ts";
import { costAt, growthOf, type Measured } from "./measured.ts";

/** The figures are about histories from this size on. */
const smallest = 1000;

/** CPU time of ten times as many messages, at most: caches and the collector make linear work ×10 to ×27, quadratic is ×100. */
const linearGrowth = 30;

/** Holds what was measured against the figures. */
export function verdictsOn(measured: readonly Measured[]): readonly Verdict[] {
  return measured.flatMap((one) => {
    const limit = one.subject.dangling ? 0.7 : 0.5;
    const rows = one.rows.filter((row) => row.startsWith(repairRow));
    const verdicts = [
      ...rows.map((row) => ratioVerdict(one, row, limit)),
      ...rows.map((row) => growthVerdict(one, row)),
    ];
    return verdicts.filter((verdict) => verdict !== undefined);
  });
}

function ratioVerdict(measured: Measured, row: string, limit: number): Verdict | undefined {
  const ratios = measured.sizes
    .map(({ messages }) => messages)
    .filter((messages) => messages >= smallest)
    .map((messages) => ({ messages, ratio: costAt(measured, messages, row) / costAt(measured, messages, baseline) }));
  if (ratios.length === 0) return undefined;
  return {
    subject: measured.subject.name,
    figure: `${row}, at most ×${limit} ${baseline}`,
    reached: ratios.every(({ ratio }) => ratio <= limit),
    numbers: ratios
      .map(({ messages, ratio }) => `×${threeDigits(ratio)} at ${messages.toLocaleString("en")}`)
      .join(", "),
  };
}

function growthVerdict(measured: Measured, row: string): Verdict | undefined {
  const growth = growthOf(measured, row);
  if (growth === undefined) return undefined;
  return {
    subject: measured.subject.name,
    figure: `${row}, linear: from 10,000 to 100,000 at most ×${linearGrowth}`,
    reached: growth <= linearGrowth,
    numbers: `×${threeDigits(growth)} (${baseline} ×${threeDigits(growthOf(measured, baseline) ?? NaN)})`,
  };
}
