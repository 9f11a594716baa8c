import { threeDigits } from "../measure/text-table.ts";
import type { Verdict } from "../measure/verdict.ts";
import { baseline, turnRow } from "./contenders.ts";
import { growthOf, ratioAt } from "./measured.ts";
import type { Measured } from "./measured.ts";
import { grown } from "./subjects.ts";

const limit = 1.2;

/** CPU time of ten times as much, at most: caches and the collector make linear work ×10 to ×20, quadratic is ×100. */
const linearGrowth = 20;

/** Holds what was measured against the figures. */
export function verdictsOn(measured: readonly Measured[]): readonly Verdict[] {
  return measured.flatMap((one) => [ratioVerdict(one), ...growthVerdict(one)]);
}

function ratioVerdict({ subject, sizes }: Measured): Verdict {
  const ratios = sizes.map((size) => ({ name: size.name, ratio: ratioAt(size, turnRow) ?? NaN }));
  return {
    subject: subject.name,
    figure: `${turnRow}, at most ×${limit} the ${baseline}`,
    reached: ratios.every(({ ratio }) => ratio <= limit),
    numbers: ratios.map(({ name, ratio }) => `×${threeDigits(ratio)} at ${name}`).join(", "),
  };
}

function growthVerdict(measured: Measured): readonly Verdict[] {
  const growth = growthOf(measured, turnRow);
  if (growth === undefined) return [];
  return [
    {
      subject: measured.subject.name,
      figure: `${turnRow}, linear: from ${grown.from} to ${grown.to} at most ×${linearGrowth}`,
      reached: growth <= linearGrowth,
      numbers: `×${threeDigits(growth)} (${baseline} ×${threeDigits(growthOf(measured, baseline) ?? NaN)})`,
    },
  ];
}
