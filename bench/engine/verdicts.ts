import { threeDigits } from "../measure/text-table.ts";
import type { Verdict } from "../measure/verdict.ts";
import { engineRow, middlewareRow } from "./contenders.ts";
import type { MeasuredDurable } from "./durable.ts";
import { ratioAt } from "./measured.ts";
import type { MeasuredLoop } from "./measured.ts";

/** The most that a step may cost, × the loop by hand that does as much, by the calls of a turn. */
const loopLimits: ReadonlyMap<number, number> = new Map([
  [1, 3],
  [16, 2],
]);

/** The most that ten middleware may add whose hooks do nothing. */
const mostForHooks = 1.2;

/** Holds what was measured against the figures. */
export function loopVerdicts({ workloads }: MeasuredLoop): readonly Verdict[] {
  return workloads.flatMap((measured) => {
    const { name, callsPerTurn, priorMessages } = measured.workload;
    const limit = loopLimits.get(callsPerTurn);
    if (limit === undefined || priorMessages > 0) return [];
    const ratio = ratioAt(measured, engineRow);
    const more = ratioAt(measured, middlewareRow) / ratio;
    return [
      {
        subject: "hooks",
        figure: `${middlewareRow}, ${name}: at most ×${mostForHooks} of none`,
        reached: more <= mostForHooks,
        numbers: `×${threeDigits(more)}`,
      },
      {
        subject: "a step",
        figure: `${engineRow}, ${name}: at most ×${limit}`,
        reached: ratio <= limit,
        numbers: `×${threeDigits(ratio)}`,
      },
    ];
  });
}

const most = { commits: 3, cpu: 0.5, timesSyncs: 1.5, growth: 1.5 };

/** The same for durable steps: the commits of all, and the time of those with one call. */
export function durableVerdicts(all: readonly MeasuredDurable[]): readonly Verdict[] {
  const measured = all.filter(({ workload }) => workload.callsPerTurn === 1);
  type Value = (one: MeasuredDurable) => number;
  const verdict = (figure: string, limit: number, value: Value, of: typeof all = measured): Verdict => ({
    subject: "a durable step",
    figure,
    reached: of.every((one) => value(one) <= limit),
    numbers: of.map((one) => `${threeDigits(value(one))} at ${one.workload.name}`).join(", "),
  });
  return [
    verdict(`commits, at most ${most.commits}`, most.commits, ({ commits }) => commits, all),
    verdict(`milliseconds of CPU time, at most ${most.cpu}`, most.cpu, ({ step }) => step.cpu),
    timeVerdict(measured),
    ...growthVerdict(measured),
  ];
}

/** Beside what an engine would need that saves nothing but such a log: there is no less. */
function timeVerdict(measured: readonly MeasuredDurable[]): Verdict {
  const times = measured.map(({ workload, step, engineWithLog, writtenOver }) => ({
    name: workload.name,
    ratio: step.wall / writtenOver.wall,
    least: engineWithLog.wall / writtenOver.wall,
  }));
  return {
    subject: "a durable step",
    figure: `on the clock, at most ×${most.timesSyncs} as many syncs of a log that is written over`,
    reached: times.every(({ ratio }) => ratio <= most.timesSyncs),
    numbers: times
      .map(
        ({ name, ratio, least }) => `${threeDigits(ratio)} at ${name} (the least there can be: ${threeDigits(least)})`,
      )
      .join(", "),
  };
}

/** The longest thread against a new one. */
function growthVerdict(measured: readonly MeasuredDurable[]): readonly Verdict[] {
  const [shortest, ...others] = measured.toSorted((a, b) => a.workload.priorMessages - b.workload.priorMessages);
  const longest = others.at(-1);
  if (shortest === undefined || longest === undefined) return [];
  const growth = longest.step.cpu / shortest.step.cpu;
  return [
    {
      subject: "a durable step",
      figure: `flat: CPU time at ${longest.workload.name} at most ×${most.growth} of ${shortest.workload.name}`,
      reached: growth <= most.growth,
      numbers: `×${threeDigits(growth)}`,
    },
  ];
}
