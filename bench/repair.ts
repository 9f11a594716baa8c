// What `repair` costs: `npm run bench -- repair [--rounds 7] [--only FORMAT] [--full]`.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { check, repair } from "undangle";
import { loadPatcher } from "./contenders/deepagents.ts";
import { conversation, messagesPerTurn } from "./histories/conversation.ts";
import type { Conversation } from "./histories/conversation.ts";
import { dangling, mixed, oneOrphan } from "./histories/damage.ts";
import { formats } from "./histories/formats.ts";
import type { Body, Format } from "./histories/formats.ts";
import { measureRounds } from "./measure/cpu-rounds.ts";
import type { Contender } from "./measure/cpu-rounds.ts";
import { median, textTable, threeDigits, times } from "./measure/text-table.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    only: { type: "string", default: "" }, // the formats with this text in their name
    full: { type: "boolean", default: false }, // also 100,000 messages
  },
});
const rounds = Number(options.rounds);
const chosen = (Object.keys(formats) as Format[]).filter((format) => format.includes(options.only));

const history = (messages: number): Conversation => conversation(Math.ceil(messages / messagesPerTurn));

/** The columns of the first table: a kind of history, and how long it is. */
const subjects: readonly (readonly [kind: string, messages: number, source: (messages: number) => Conversation])[] = [
  ["clean", 1000, history],
  ["clean", 10_000, history],
  ...(options.full ? [["clean", 100_000, history] as const] : []),
  ["dangling", 10_000, (messages) => dangling(history(messages))],
  ["mixed", 1000, (messages) => mixed(history(messages))],
  ["mixed", 10_000, (messages) => mixed(history(messages))],
  ...(options.full ? [["mixed", 100_000, (messages: number) => mixed(history(messages))] as const] : []),
  ["one orphan", 10_000, (messages) => oneOrphan(history(messages))],
];

console.log(
  `\`repair\`, × JSON.stringify of the same body (CPU time, least of ${rounds} rounds), Node ${process.version}\n`,
);
const rows: string[][] = [];
for (const format of chosen) {
  const cells: string[] = [];
  for (const [kind, messages, source] of subjects) {
    const text = JSON.stringify(formats[format](source(messages)));
    assertSound(format, kind, text);
    const count = Math.ceil(10_000 / messages);
    const costs = await measureRounds(
      [
        each("stringify", text, count, (body) => JSON.stringify(body)),
        each("repair", text, count, (body) => repair(body, { format })),
      ],
      messages > 10_000 ? 3 : rounds,
    );
    const [base, own] = [costs.get("stringify") ?? NaN, costs.get("repair") ?? NaN];
    cells.push(kind === "one orphan" ? `${times(own / base)} (${threeDigits(own)} ms)` : times(own / base));
  }
  rows.push([format, ...cells]);
}
console.log(textTable(["format", ...subjects.map(([kind, n]) => `${kind}, ${n.toLocaleString("en")}`)], rows));

console.log("\nThe first call in a new process, CPU milliseconds, median of 9 processes; 1,000 messages\n");
console.log(
  textTable(
    ["format", "JSON.stringify", "repair, clean", "repair, mixed"],
    chosen.map((format) => [format, cold(format, "stringify"), cold(format, "clean"), cold(format, "mixed")]),
  ),
);

if (options.only === "") await comparePeer();

/** Nothing is measured that does not give the right output. */
function assertSound(format: Format, kind: string, text: string): void {
  const body = JSON.parse(text) as Body;
  const { output, edits, problems } = repair(body, { format });
  const name = `${format}, ${kind}`;
  assert.deepEqual(problems, [], `${name}: nothing is left`);
  assert.equal(output === body, kind === "clean", `${name}: the same reference exactly when it is clean`);
  assert.equal(edits.length > 0, kind !== "clean", `${name}: damage is repaired`);
  assert.deepEqual(check(output, { format }), [], `${name}: the output is healthy`);
  assert.equal(repair(output, { format }).output, output, `${name}: a second repair changes nothing`);
}

/** Work on bodies that were parsed a moment ago and that no code has seen before. */
function each(name: string, text: string, count: number, work: (body: Body) => unknown): Contender {
  return {
    name,
    prepare() {
      const bodies = Array.from({ length: count }, () => JSON.parse(text) as Body);
      const kept: unknown[] = [];
      return { times: count, run: () => bodies.forEach((body) => kept.push(work(body))) };
    },
  };
}

/** CPU milliseconds of a call in a process that has called nothing before. */
function cold(format: Format, what: "stringify" | "clean" | "mixed"): string {
  const source = what === "mixed" ? mixed(history(1000)) : history(1000);
  const text = JSON.stringify(formats[format](source));
  const call = what === "stringify" ? "JSON.stringify(body)" : `repair(body, ${JSON.stringify({ format })})`;
  const program = `
    import { readFileSync } from "node:fs";
    import { repair } from "undangle";
    const body = JSON.parse(readFileSync(0, "utf8"));
    const begin = process.cpuUsage();
    ${call};
    const { user, system } = process.cpuUsage(begin);
    console.log((user + system) / 1000);`;
  const run = { cwd: fileURLToPath(new URL(".", import.meta.url)), input: text, encoding: "utf8" } as const;
  const args = ["--input-type=module", "--eval", program];
  const costs = Array.from({ length: 9 }, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, run);
    if (status !== 0) throw new Error(stderr);
    return Number(stdout);
  });
  return threeDigits(median(costs));
}

/** deepagents' middleware only adds missing results. It looks at all messages for every call. */
async function comparePeer(): Promise<void> {
  const { messagesOf, patch } = await loadPatcher();
  const format = "openai-chat";
  const peerRows: string[][] = [];
  for (const [kind, source] of [
    ["clean", history] as const,
    ["dangling", (n: number) => dangling(history(n))] as const,
  ]) {
    for (const messages of [1000, 10_000]) {
      const text = JSON.stringify(formats[format](source(messages)));
      const list = messagesOf(source(messages)); // it keeps nothing between calls
      const count = Math.ceil(10_000 / messages);
      const run = async (): Promise<void> => {
        for (let i = 0; i < count; i++) await patch(list);
      };
      const costs = await measureRounds(
        [
          each("stringify", text, count, (body) => JSON.stringify(body)),
          each("undangle", text, count, (body) => repair(body, { format })),
          { name: "deepagents", prepare: () => ({ times: count, run }), atMostRounds: 3 },
        ],
        rounds,
      );
      const ratio = (name: string): string => times((costs.get(name) ?? NaN) / (costs.get("stringify") ?? NaN));
      peerRows.push([`${kind}, ${messages.toLocaleString("en")}`, ratio("undangle"), ratio("deepagents")]);
    }
  }
  console.log("\nBeside the middleware of deepagents, openai-chat, × JSON.stringify\n");
  console.log(textTable(["history", "undangle repair", "deepagents patchToolCalls"], peerRows));
}
