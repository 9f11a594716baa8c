// What the server costs: `npm run bench -- server [--rounds 5] [--requests 1000] [--load] [--conversations 1000] [--seconds 60] [--json FILE]`.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { textTable, times } from "./measure/text-table.ts";
import { measureChat } from "./server/chat-cost.ts";
import { measureLoad } from "./server/load.ts";
import type { Spread } from "./server/load.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    requests: { type: "string", default: "1000" },
    load: { type: "boolean", default: false }, // many conversations at a time, in place of the cost of one
    conversations: { type: "string", default: "1000" },
    seconds: { type: "string", default: "60" },
    json: { type: "string" },
  },
});
const numberOf = (name: "rounds" | "requests" | "conversations" | "seconds"): number => {
  const number = Number(options[name]);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} is a whole number of at least 1.`);
  return number;
};

const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`;
const milliseconds = ([middle, late, longest]: Spread): string =>
  `${Math.round(middle)} ms, p99 ${Math.round(late)} ms, longest ${Math.round(longest)} ms`;

if (options.load) {
  const report = await measureLoad({ conversations: numberOf("conversations"), seconds: numberOf("seconds") });
  console.log(
    [
      `${options.conversations} conversations at a time for ${options.seconds} s, on SQLite, killed halfway and started again`,
      `turns       ${report.turns}, and ${report.cut} that the kill cut off`,
      `failed      ${report.failed.length}`,
      `first byte  ${milliseconds(report.first)}`,
      `whole turn  ${milliseconds(report.whole)}`,
      `memory      ${report.memory.map(megabytes).join(", ")}`,
      `restart     ${Math.round(report.restart)} ms`,
      `threads     ${report.threads}, of which ${report.broken.length} are not healthy or do not go on`,
      ...[...new Set([...report.failed, ...report.broken])].slice(0, 10),
    ].join("\n"),
  );
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(report, null, 2));
  if (report.failed.length + report.broken.length > 0) process.exitCode = 1;
} else {
  const costs = await measureChat({ rounds: numberOf("rounds"), requests: numberOf("requests"), parallel: 4 });
  const bare = costs[0]?.cpu ?? 1;
  const rows = costs.map(({ name, cpu, perSecond, memory }) => [
    name,
    `${Math.round(cpu)} µs`,
    times(cpu / bare),
    String(Math.round(perSecond)),
    megabytes(memory),
  ]);
  console.log(textTable(["chat request", "CPU of the server", "× node:http", "requests/s", "memory"], rows));
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(costs, null, 2));
}
