// What assembling a stream costs: `npm run bench -- streams [--rounds 7] [--only TEXT] [--own] [--full] [--markdown] [--json FILE]`.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { measureRounds } from "./measure/cpu-rounds.ts";
import { verdictLines } from "./measure/verdict.ts";
import { assertSound } from "./streams/assert-sound.ts";
import { contenderOf, loadEntrants } from "./streams/contenders.ts";
import type { Entrant } from "./streams/contenders.ts";
import { markdownOf, tableOf } from "./streams/measured.ts";
import type { Measured, MeasuredSize } from "./streams/measured.ts";
import { subjects } from "./streams/subjects.ts";
import type { Size, Subject } from "./streams/subjects.ts";
import { verdictsOn } from "./streams/verdicts.ts";
import { framesOf, wireOf } from "./streams/wire.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    only: { type: "string", default: "" }, // the subjects with this text in their name
    own: { type: "boolean", default: false }, // without the libraries that take seconds
    full: { type: "boolean", default: false }, // also what takes hours: AI SDK at 10 MB, LangChain from 1 MB on
    markdown: { type: "boolean", default: false }, // the ratios as tables for a document
    json: { type: "string" },
  },
});
const rounds = Number(options.rounds);
const chosen = subjects.filter(({ name }) => name.includes(options.only));
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("Rounds are a whole number.");
if (chosen.length === 0) throw new Error(`No subject has "${options.only}" in its name.`);

const entrants = await loadEntrants();
const kept: unknown[] = [];
console.log(`CPU milliseconds and × the loop by hand, least of all rounds, on Node ${process.version}\n`);
await warmUp();
const measured: Measured[] = [];
for (const subject of chosen) {
  const one = await measureSubject(subject);
  console.log(`${tableOf(one)}\n`);
  measured.push(one);
}
const verdicts = verdictsOn(measured);
console.log(verdictLines(verdicts));
if (options.markdown) console.log(`\n${measured.map(markdownOf).join("\n\n")}`);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(reportData(), null, 2)}\n`);

/**
 * Everybody reads short streams of every kind first, as in a process that has run for a while, and has to read them right. The
 * frames of one are kept: as long as they live, V8 does not forget what it has learned of their shapes when it collects garbage.
 */
async function warmUp(): Promise<void> {
  const script = { textDeltas: 2000, calls: 10, argumentBytes: 2000 };
  for (const { format, delivery } of subjects) {
    const wire = wireOf(script, format, delivery);
    kept.push(framesOf(wire));
    for (const entrant of entrants[format]) {
      await assertSound(entrant, wire);
      await measureRounds([contenderOf(entrant, wire)], entrant.atMostRounds === undefined ? 3 : 2);
    }
  }
}

async function measureSubject(subject: Subject): Promise<Measured> {
  const rows = new Set<string>();
  const sizes: MeasuredSize[] = [];
  for (const size of subject.sizes) {
    const taking = entrants[subject.format].filter((entrant) => takesPart(entrant, size));
    for (const { name } of taking) rows.add(name);
    const wire = wireOf(size.script, subject.format, subject.delivery);
    for (const entrant of taking) if (entrant.atMostRounds === undefined) await assertSound(entrant, wire);
    const costs = await measureRounds(
      taking.map((entrant) => contenderOf(entrant, wire)),
      rounds,
    );
    sizes.push({ name: size.name, events: wire.events, bytes: wire.bytes, costs });
  }
  return { subject, rows: [...rows], sizes };
}

function takesPart({ atMostRounds, atMostBytes = Infinity }: Entrant, { script }: Size): boolean {
  if (atMostRounds !== undefined && options.own) return false;
  return options.full || script.calls * script.argumentBytes <= atMostBytes;
}

function reportData() {
  return {
    node: process.version,
    unit: "milliseconds of CPU time, least of all rounds",
    subjects: measured.map(({ subject, sizes }) => ({
      name: subject.name,
      sizes: sizes.map(({ name, events, bytes, costs }) => ({ name, events, bytes, cpu: Object.fromEntries(costs) })),
    })),
    verdicts,
  };
}
