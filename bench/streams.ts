// What assembling a stream costs: `npm run bench -- streams [--rounds 5] [--only TEXT] [--own]`.
import { isDeepStrictEqual, parseArgs } from "node:util";
import { measureRounds } from "./measure/cpu-rounds.ts";
import { textTable, times } from "./measure/text-table.ts";
import { baseline, bodyOf, contenderOf, loadEntrants } from "./streams/contenders.ts";
import type { Entrant } from "./streams/contenders.ts";
import { wireOf } from "./streams/wire.ts";
import type { Delivery, Envelope, Script, Wire, WireFormat } from "./streams/wire.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    only: { type: "string", default: "" }, // the tables with this text in their title
    own: { type: "boolean", default: false }, // without the libraries that take seconds
  },
});

/** A table, and the streams of its columns. */
interface Table {
  readonly format: WireFormat;
  readonly envelope: Envelope;
  readonly delivery: Delivery;
}

const columns: Readonly<Record<string, Script>> = {
  "10,000 events of text": { textDeltas: 10_000, calls: 0, argumentBytes: 0 },
  "10 calls, 10,000 events": { textDeltas: 0, calls: 10, argumentBytes: 20_000 },
  "100,000 events of text": { textDeltas: 100_000, calls: 0, argumentBytes: 0 },
  "1 MB of arguments": { textDeltas: 0, calls: 1, argumentBytes: 1_000_000 },
  "10 MB of arguments": { textDeltas: 0, calls: 1, argumentBytes: 10_000_000 },
};

const tables: readonly Table[] = [
  { format: "openai-chat", envelope: "provider", delivery: "reads of 16 kB" },
  { format: "openai-chat", envelope: "provider", delivery: "an event at a time" },
  { format: "openai-responses", envelope: "provider", delivery: "reads of 16 kB" },
  { format: "anthropic", envelope: "provider", delivery: "reads of 16 kB" },
  { format: "openai-chat", envelope: "constant", delivery: "reads of 16 kB" },
];
const titleOf = ({ format, envelope, delivery }: Table): string =>
  `${format}, ${envelope === "provider" ? "as the provider sends it" : "constant envelopes (no provider)"}, ${delivery}`;

/** Those that take seconds read only short streams. */
const takesPart = ({ atMostRounds }: Entrant, { events }: Wire): boolean =>
  atMostRounds === undefined || events < 20_000;

const entrants = await loadEntrants();
console.log(
  `× a hand-written loop over the same bytes (CPU time, least of ${options.rounds} rounds), Node ${process.version}`,
);
for (const table of tables) if (titleOf(table).includes(options.only)) await measure(table);

async function measure(table: Table): Promise<void> {
  const taking = entrants[table.format].filter(({ atMostRounds }) => atMostRounds === undefined || !options.own);
  const wires = Object.values(columns).map((script) => wireOf({ script, ...table }));
  const cells = taking.map(({ name }) => [name]);
  for (const wire of wires) {
    const reading = taking.filter((entrant) => takesPart(entrant, wire));
    for (const entrant of reading) await assertSound(entrant, wire); // and everything is compiled
    const costs = await measureRounds(
      reading.map((entrant) => contenderOf(entrant, wire)),
      Number(options.rounds),
    );
    for (const row of cells) row.push(times((costs.get(row[0] ?? "") ?? NaN) / (costs.get(baseline) ?? NaN)));
  }
  console.log(`\n${titleOf(table)}\n\n${textTable(["", ...Object.keys(columns)], cells)}`);
}

/** Nothing is measured that does not give the right text and the right calls. */
async function assertSound({ name, client }: Entrant, wire: Wire): Promise<void> {
  const { text, calls } = await client(bodyOf(wire));
  const expected = wire.calls.map((call) => ({ ...call, arguments: JSON.parse(call.arguments) as unknown }));
  const given = calls.map(({ id, name: tool, arguments: args }) => ({ id, name: tool, arguments: args }));
  if (text !== wire.text || !isDeepStrictEqual(given, expected)) throw new Error(`${name} reads the stream wrongly.`);
}
