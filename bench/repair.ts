// What repair costs: `npm run bench -- repair [--sizes 100,1000] [--rounds 9] [--only TEXT] [--full] [--markdown] [--json FILE]`.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadPatcher, type Patcher } from "./contenders/deepagents.ts";
import { measureRounds } from "./measure/cpu-rounds.ts";
import { verdictLines } from "./measure/verdict.ts";
import { assertSound } from "./repair/assert-sound.ts";
import { bodiesToKeep, contendersOf, type Sample } from "./repair/contenders.ts";
import { markdownOf, type Measured, tableOf } from "./repair/measured.ts";
import { type Subject, subjects } from "./repair/subjects.ts";
import { verdictsOn } from "./repair/verdicts.ts";

const { values: options } = parseArgs({
  options: {
    sizes: { type: "string", default: "100,1000,10000,100000" },
    rounds: { type: "string", default: "9" },
    only: { type: "string", default: "" }, // the subjects with this text in their name
    full: { type: "boolean", default: false }, // also what takes minutes: deepagents at 100,000 messages
    markdown: { type: "boolean", default: false }, // the ratios as tables for a document
    json: { type: "string" },
  },
});
const sizes = options.sizes.split(",").map(Number);
const rounds = Number(options.rounds);
const chosen = subjects.filter(({ name }) => name.includes(options.only));
if (![...sizes, rounds].every((value) => Number.isInteger(value) && value > 0))
  throw new Error("Sizes and rounds are whole numbers.");
if (chosen.length === 0) throw new Error(`No subject has "${options.only}" in its name.`);

const patcher = await loadPatcher();
const kept: unknown[] = [];
console.log(
  `CPU milliseconds and × JSON.stringify of the same body, least of all rounds, on Node ${process.version}\n`,
);
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
 * All formats and shapes go through the same code before anything is measured, as in a process that has run for a while. One
 * body of each is kept: as long as it lives, V8 does not forget what it has learned of its shape when it collects garbage.
 */
async function warmUp(): Promise<void> {
  for (const subject of subjects) {
    const sample = sampleOf(subject, 1000);
    kept.push(...bodiesToKeep(sample));
    await measureRounds(contendersOf(sample, peerFor(sample)), 10);
  }
}

async function measureSubject(subject: Subject): Promise<Measured> {
  const measuredSizes: Measured["sizes"][number][] = [];
  const rows = new Set<string>();
  for (const messages of sizes) {
    const sample = sampleOf(subject, messages);
    const contenders = contendersOf(sample, peerFor(sample));
    for (const { name } of contenders) rows.add(name);
    await assertSound(sample, messages > 10_000 ? undefined : peerFor(sample));
    if (messages <= 1000) await measureRounds(contenders, 10); // after the last subject, the compiler has to learn this one again
    const costs = await measureRounds(contenders, roundsAt(messages));
    measuredSizes.push({ messages, bytes: sample.text.length, costs });
  }
  return { subject, rows: [...rows], sizes: measuredSizes };
}

function sampleOf(subject: Subject, messages: number): Sample {
  const source = subject.source(messages);
  return { subject, messages, source, text: JSON.stringify(subject.body(source)) };
}

/** LangChain's messages are the same for every provider, so the peer is measured in one format; it is quadratic. */
function peerFor({ subject, messages }: Sample): Patcher | undefined {
  const takesPart = subject.rows === "main" && subject.format === "openai-chat";
  return takesPart && (options.full || messages <= 10_000) ? patcher : undefined;
}

/** More rounds where one takes little. */
function roundsAt(messages: number): number {
  if (messages > 10_000) return Math.ceil(rounds / 2);
  return messages > 1000 ? rounds : 2 * rounds;
}

function reportData() {
  return {
    node: process.version,
    unit: "milliseconds of CPU time, least of all rounds",
    subjects: measured.map(({ subject, sizes: bySize }) => ({
      name: subject.name,
      sizes: bySize.map(({ messages, bytes, costs }) => ({ messages, bytes, cpu: Object.fromEntries(costs) })),
    })),
    verdicts,
  };
}
