// What `wrapFetch` adds to reading a healthy stream: `npm run bench -- wire [--rounds 21] [--json FILE]`.
import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { textTable } from "./measure/text-table.ts";
import { type Verdict, verdictLines } from "./measure/verdict.ts";
import type { Delivery, Script } from "./streams/wire.ts";
import { firstText, sender, startServer, ways } from "./wire/programs.ts";
import type { RowAsked, RowMeasured } from "./wire/row.ts";
import { median } from "./wire/running-costs.ts";

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "21" }, json: { type: "string" } },
});

/** How much more CPU time a healthy stream may take. */
const limit = 1.25;

/** How much later the first text may be seen, in milliseconds: what is done once for a request, and no waiting. */
const mostLater = 0.5;

const server = await startServer();
const formats = ["openai-chat", "anthropic"] as const;

/** Where a body comes from, and how it is cut. */
const sources: readonly (readonly [name: string, delivery: Delivery, isFetched: boolean])[] = [
  ["in memory, 16 kB at a time", "reads of 16 kB", false],
  ["from a socket, 16 kB at a time", "reads of 16 kB", true],
  ["from a socket, an event at a time", "an event at a time", true],
];

function scriptsFor(delivery: Delivery): Readonly<Record<string, Script>> {
  if (delivery === "an event at a time") return { text: { textDeltas: 20_000, calls: 0, argumentBytes: 0 } };
  return {
    text: { textDeltas: 50_000, calls: 0, argumentBytes: 0 },
    "100 calls": { textDeltas: 100, calls: 100, argumentBytes: 10_000 },
  };
}

const rows: string[][] = [];
const verdicts: Verdict[] = [];
for (const [source, delivery, isFetched] of sources) {
  for (const format of formats) {
    for (const [name, script] of Object.entries(scriptsFor(delivery))) {
      const address = isFetched ? server.address : undefined;
      const rounds = Number(options.rounds);
      const { events, base, ratios } = await measureRow({ script, format, delivery, address, rounds });
      rows.push([
        `${format}, ${name}, ${source}`,
        events.toLocaleString("en"),
        base.toFixed(1),
        ...ratios.map((ratio) => `×${ratio.toFixed(2)}`),
      ]);
      judge(`${format}, ${name}, ${source}: at most ×${limit} fetch and parse`, ratios.at(-1) ?? NaN);
    }
  }
}
console.log(`CPU milliseconds of the client, and times those, median of all rounds, on Node ${process.version}\n`);
console.log(textTable(["stream", "events", ...ways], rows));

const times: string[][] = [];
for (const format of formats) {
  const medians = await firstTexts(format);
  const [raw = NaN, wrapped = NaN] = [medians[0], medians.at(-1)];
  times.push([format, ...medians.map((time) => time.toFixed(2))]);
  verdicts.push({
    figure: `${format}: the first text at most ${mostLater} ms later`,
    reached: wrapped - raw <= mostLater,
    numbers: `${(wrapped - raw).toFixed(2)} ms`,
  });
}
console.log(`\nMilliseconds to the first text, median, while the server waits behind it\n`);
console.log(textTable(["stream", ...ways], times));
console.log(`\n${verdictLines(verdicts)}`);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ rows, times, verdicts }, null, 2)}\n`);
server.stop();

function judge(figure: string, ratio: number): void {
  verdicts.push({ figure, reached: ratio <= limit, numbers: `×${ratio.toFixed(2)}` });
}

/** Each row has a process of its own: what V8 has compiled and kept for other streams is none of its business. */
async function measureRow(asked: RowAsked): Promise<RowMeasured> {
  const child = fork(new URL("wire/row.ts", import.meta.url), { execArgv: ["--expose-gc", "--no-warnings"] });
  child.send(asked);
  const [measured] = (await once(child, "message")) as [RowMeasured]; // what it sends
  return measured;
}

/** The median of many requests for each way, in turns. */
async function firstTexts(format: (typeof formats)[number]): Promise<readonly number[]> {
  const script = { textDeltas: 10, calls: 0, argumentBytes: 0 };
  const stopsAfter = format === "anthropic" ? 3 : 2; // behind the first text
  const asked = { script, format, delivery: "an event at a time", stopsAfter } as const;
  const seen = ways.map((way) => ({ send: sender(way, fetch), times: [] as number[] }));
  for (let round = 0; round < 220; round++) {
    for (const { send, times: all } of seen) {
      const time = await firstText(server.address, send, asked);
      if (round >= 20) all.push(time);
    }
  }
  return seen.map(({ times: all }) => median(all));
}
