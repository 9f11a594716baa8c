// What `wrapFetch` adds to reading a healthy stream: `npm run bench -- wire [--rounds 15] [--only TEXT]`.
import { fork } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { median, textTable, times } from "./measure/text-table.ts";
import type { Delivery, Envelope, Script, WireFormat } from "./streams/wire.ts";
import { firstText, sender, startServer, ways } from "./wire/programs.ts";
import type { RowAsked, RowMeasured } from "./wire/row.ts";

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "15" }, only: { type: "string", default: "" } },
});
const rounds = Number(options.rounds);
const server = await startServer();

const text: Script = { textDeltas: 20_000, calls: 0, argumentBytes: 0 };
const calls: Script = { textDeltas: 100, calls: 100, argumentBytes: 4000 };

interface Row {
  readonly format: WireFormat;
  readonly script: Script;
  readonly envelope: Envelope;
  readonly delivery: Delivery;
  readonly isFetched: boolean;
}

const inMemory = { envelope: "provider", delivery: "reads of 16 kB", isFetched: false } as const;
const eventByEvent = { envelope: "provider", delivery: "an event at a time", isFetched: true } as const;
const rows: readonly Row[] = [
  { format: "openai-chat", script: text, ...inMemory },
  { format: "openai-chat", script: calls, ...inMemory },
  { format: "openai-responses", script: text, ...inMemory },
  { format: "openai-responses", script: calls, ...inMemory },
  { format: "anthropic", script: text, ...inMemory },
  { format: "anthropic", script: calls, ...inMemory },
  { format: "openai-chat", script: text, ...eventByEvent },
  { format: "anthropic", script: text, ...eventByEvent },
  { format: "openai-chat", script: text, ...inMemory, envelope: "constant" },
  { format: "anthropic", script: text, ...inMemory, envelope: "constant" },
];

const nameOf = ({ format, script, envelope, delivery, isFetched }: Row): string =>
  [
    format,
    script === text ? "text" : "100 calls",
    isFetched ? `from a socket, ${delivery}` : `in memory, ${delivery}`,
    ...(envelope === "constant" ? ["constant envelopes (no provider)"] : []),
  ].join(", ");

/** The pieces up to the first text. */
const piecesToText: Readonly<Record<WireFormat, number>> = { "openai-chat": 2, "openai-responses": 4, anthropic: 3 };

const cells: string[][] = [];
for (const row of rows.filter((each) => nameOf(each).includes(options.only))) {
  const { isFetched, ...asked } = row;
  const address = isFetched ? server.address : undefined;
  const { events, base, ratios } = await measureRow({ ...asked, address, rounds });
  cells.push([nameOf(row), ((1000 * base) / events).toFixed(2), ...ratios.map(times)]);
}
console.log(`CPU time of the client per event, median of ${rounds} rounds, Node ${process.version}\n`);
console.log(textTable(["stream", `${ways[0]}, µs`, ...ways.slice(1)], cells));

console.log("\nMilliseconds from the request to the first text, median of 200, while the server waits after it\n");
const first: string[][] = [];
for (const format of ["openai-chat", "openai-responses", "anthropic"] as const)
  first.push([format, ...(await firstTexts(format)).map((time) => time.toFixed(2))]);
console.log(textTable(["stream", ...ways], first));
server.stop();

/** Each row has a process of its own, so that code that V8 compiled for other streams does not matter. */
async function measureRow(asked: RowAsked): Promise<RowMeasured> {
  const child = fork(new URL("wire/row.ts", import.meta.url), { execArgv: ["--expose-gc", "--no-warnings"] });
  child.send(asked);
  const [measured] = (await once(child, "message")) as [RowMeasured]; // what it sends
  return measured;
}

async function firstTexts(format: WireFormat): Promise<readonly number[]> {
  const script = { textDeltas: 10, calls: 0, argumentBytes: 0 };
  const stream = { script, format, delivery: "an event at a time", envelope: "provider" } as const;
  const asked = { ...stream, stopsAfter: piecesToText[format] };
  const seen = ways.map((way) => ({ send: sender(way, fetch), times: [] as number[] }));
  for (let round = 0; round < 220; round++) {
    for (const { send, times: all } of seen) {
      const time = await firstText(server.address, send, asked);
      if (round >= 20) all.push(time);
    }
  }
  return seen.map(({ times: all }) => median(all));
}
