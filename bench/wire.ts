// What `wrapFetch` adds to reading a healthy stream: `npm run bench -- wire [--rounds 9] [--json FILE]`.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { wrapFetch } from "undangle";
import { anthropicByHand, chatByHand } from "./contenders/stream-by-hand.ts";
import type { StreamClient } from "./contenders/stream-client.ts";
import { type Contender, measureRounds } from "./measure/cpu-rounds.ts";
import { textTable } from "./measure/text-table.ts";
import { type Verdict, verdictLines } from "./measure/verdict.ts";
import { type Wire, type WireFormat, wireOf } from "./streams/wire.ts";

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "9" }, json: { type: "string" } },
});

/** How much more CPU time a healthy stream may take. */
const limit = 1.25;

const paths: Readonly<Record<WireFormat, string>> = {
  "openai-chat": "/v1/chat/completions",
  anthropic: "/v1/messages",
};
const clients: Readonly<Record<WireFormat, StreamClient>> = { "openai-chat": chatByHand, anthropic: anthropicByHand };
const scripts = {
  text: { textDeltas: 50_000, calls: 0, argumentBytes: 0 },
  "100 calls": { textDeltas: 100, calls: 100, argumentBytes: 10_000 },
};

const rows: string[][] = [];
const verdicts: Verdict[] = [];
for (const format of ["openai-chat", "anthropic"] as const) {
  for (const [name, script] of Object.entries(scripts)) {
    const wire = wireOf(script, format, "reads of 16 kB");
    const contenders = [reading("raw", wire, false), reading("wrapped", wire, true)];
    await measureRounds(contenders, 3);
    const costs = await measureRounds(contenders, Number(options.rounds));
    const [raw = NaN, wrapped = NaN] = ["raw", "wrapped"].map((each) => costs.get(each));
    rows.push([
      `${format}, ${name}`,
      wire.events.toLocaleString("en"),
      raw.toFixed(1),
      `${wrapped.toFixed(1)} ×${(wrapped / raw).toFixed(2)}`,
    ]);
    verdicts.push({
      figure: `${format}, ${name}: at most ×${limit} fetch and parse`,
      reached: wrapped / raw <= limit,
      numbers: `×${(wrapped / raw).toFixed(2)}`,
    });
  }
}
console.log(`CPU milliseconds, least of all rounds, on Node ${process.version}\n`);
console.log(textTable(["stream", "events", "fetch and parse", "with wrapFetch"], rows));
console.log(`\n${verdictLines(verdicts)}`);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ rows, verdicts }, null, 2)}\n`);

/** A program that fetches a stream and parses it by hand. */
function reading(name: string, wire: Wire, isWrapped: boolean): Contender {
  const { format, pieces } = wire;
  const headers = { "content-type": "text/event-stream" };
  const send = async (): Promise<Response> => new Response(ReadableStream.from(pieces), { headers });
  const fetch = isWrapped ? wrapFetch({ fetch: send, logger: false }) : send;
  const body = JSON.stringify({
    model: "m",
    max_tokens: 9,
    stream: true,
    messages: [{ role: "user", content: "Hi." }],
  });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  const run = async (): Promise<void> => {
    const response = await fetch(`https://host.example${paths[format]}`, init);
    if (response.body === null) throw new Error("There is no body.");
    const { text, calls } = await clients[format](response.body as ReadableStream<Uint8Array>);
    if (text !== wire.text || calls.length !== wire.calls.length) throw new Error("The stream was not read right.");
  };
  return { name, prepare: () => ({ times: 1, run }) };
}
