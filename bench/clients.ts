// What programs hear through the SDKs when streams are damaged: `npm run bench -- clients [--only TEXT] [--markdown] [--json FILE]`.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { wrapFetch } from "undangle";
import { type FaultName, faultNames, faults, wireServer } from "undangle/testing";
import { type Sdk, sdks } from "../packages/undangle/test/clients/sdks.ts";
import { turn, type Verdict, verdictOn } from "../packages/undangle/test/clients/verdict.ts";
import { textTable } from "./measure/text-table.ts";
import { verdictLines } from "./measure/verdict.ts";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" }, // the SDKs with this text in their name
    markdown: { type: "boolean", default: false },
    json: { type: "string" },
  },
});

interface Score {
  readonly sdk: string;
  readonly faults: number;
  readonly bare: Readonly<Record<Verdict, number>>;
  readonly wrapped: Readonly<Record<Verdict, number>>;
}

/** SDKs warn of what they cannot read; the table says so too. */
console.warn = () => undefined;
console.error = () => undefined;

const scores: Score[] = [];
for (const sdk of sdks.filter(({ name }) => name.includes(options.only))) {
  const names = faultNames(sdk.format).filter((name) => faults[name].outcome !== "leaked");
  scores.push({
    sdk: sdk.name,
    faults: names.length,
    bare: await scoreOf(sdk, names, globalThis.fetch),
    wrapped: await scoreOf(sdk, names, wrapFetch({ logger: false })),
  });
}

const head = ["SDK", "kinds of damage", "bare: right", "lost", "unsafe", "wrapFetch: right", "lost", "unsafe"];
const rows = scores.map(({ sdk, faults: all, bare, wrapped }) => [
  sdk,
  String(all),
  ...[bare, wrapped].flatMap(({ right, lost, unsafe }) => [
    `${Math.round((100 * right) / all)} %`,
    String(lost),
    String(unsafe),
  ]),
]);
console.log(options.markdown ? markdownOf(head, rows) : textTable(head, rows));
const verdicts = scores.map(({ sdk, faults: all, wrapped }) => ({
  figure: `${sdk} with wrapFetch: at least 95 % right, none unsafe`,
  reached: wrapped.right / all >= 0.95 && wrapped.unsafe === 0,
  numbers: `${wrapped.right} of ${all}, ${wrapped.unsafe} unsafe`,
}));
console.log(`\n${verdictLines(verdicts)}`);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ scores, verdicts }, null, 2)}\n`);

async function scoreOf(
  { format, hear }: Sdk,
  names: readonly FaultName[],
  fetch: typeof globalThis.fetch,
): Promise<Score["bare"]> {
  const score: Record<Verdict, number> = { right: 0, lost: 0, unsafe: 0 };
  for (const name of names) {
    const server = await wireServer({ strict: false, turns: () => ({ ...turn, faults: [name] }) });
    const heard = await hear(server.baseUrl(format), fetch).catch(() => undefined);
    score[verdictOn(heard, faults[name].outcome)]++;
    await server.close();
  }
  return score;
}

function markdownOf(names: readonly string[], cells: readonly (readonly string[])[]): string {
  const line = (each: readonly string[]): string => `| ${each.join(" | ")} |`;
  return [line(names), line(names.map((_, i) => (i === 0 ? "---" : "---:"))), ...cells.map(line)].join("\n");
}
