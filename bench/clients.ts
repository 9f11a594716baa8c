// What programs hear through the SDKs when streams are damaged: `npm run bench -- clients [--only TEXT] [--markdown] [--json FILE]`.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { wrapFetch } from "undangle";
import { undangleModel } from "undangle/ai-sdk";
import { type FaultName, faultNames, faults, type WireFormat, wireServer } from "undangle/testing";
import { aiPrograms } from "../packages/undangle/test/clients/ai-sdk.ts";
import { type Heard, sdks } from "../packages/undangle/test/clients/sdks.ts";
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

type Count = Readonly<Record<Verdict, number>>;

/** What a program hears without anything, and with what is measured. */
interface Score {
  readonly sdk: string;
  readonly faults: number;
  readonly bare: Count;
  readonly mended: Count;
}

/** SDKs warn of what they cannot read; the table says so too. */
console.warn = () => undefined;
console.error = () => undefined;
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const isWanted = ({ name }: { readonly name: string }): boolean => name.includes(options.only);

const wrapped: Score[] = [];
for (const { name, format, hear } of sdks.filter(isWanted)) {
  const fetch = wrapFetch({ logger: false });
  wrapped.push({
    sdk: name,
    faults: faultsOf(format).length,
    bare: await countOf(format, (url) => hear(url, globalThis.fetch)),
    mended: await countOf(format, (url) => hear(url, fetch)),
  });
}

const models: Score[] = [];
for (const { name, format, hear } of aiPrograms.filter(isWanted)) {
  const middleware = undangleModel({ logger: false });
  models.push({
    sdk: name,
    faults: faultsOf(format).length,
    bare: await countOf(format, (url) => hear(url, globalThis.fetch)),
    mended: await countOf(format, (url) => hear(url, globalThis.fetch, middleware)),
  });
}

print("wrapFetch", wrapped);
print("undangleModel", models);
const verdicts = [
  ...wrapped.map(({ sdk, faults: all, mended }) => ({
    figure: `${sdk} with wrapFetch: at least 95 % right, none unsafe`,
    reached: mended.right / all >= 0.95 && mended.unsafe === 0,
    numbers: `${mended.right} of ${all}, ${mended.unsafe} unsafe`,
  })),
  ...models.map(({ sdk, faults: all, mended }) => ({
    figure: `${sdk} with undangleModel: none unsafe`,
    reached: mended.unsafe === 0,
    numbers: `${mended.right} of ${all}, ${mended.unsafe} unsafe`,
  })),
];
console.log(verdictLines(verdicts));
if (options.json !== undefined) {
  writeFileSync(options.json, `${JSON.stringify({ wrapped, models, verdicts }, null, 2)}\n`);
}

/** The kinds of damage that are no matter of taste: calls in the text of a model are only found by those who want it. */
function faultsOf(format: WireFormat): readonly FaultName[] {
  return faultNames(format).filter((name) => faults[name].outcome !== "leaked");
}

/** How often a program hears what it should, over all kinds of damage. */
async function countOf(format: WireFormat, hear: (url: string) => Promise<Heard>): Promise<Count> {
  const count: Record<Verdict, number> = { right: 0, lost: 0, unsafe: 0 };
  for (const name of faultsOf(format)) {
    const server = await wireServer({ strict: false, turns: () => ({ ...turn, faults: [name] }) });
    const heard = await hear(server.baseUrl(format)).catch(() => undefined);
    count[verdictOn(heard, faults[name].outcome)]++;
    await server.close();
  }
  return count;
}

function print(what: string, scores: readonly Score[]): void {
  if (scores.length === 0) return;
  const name = options.markdown ? `\`${what}\`` : what;
  const head = ["SDK", "kinds of damage", "bare: right", "lost", "unsafe", `${name}: right`, "lost", "unsafe"];
  const rows = scores.map(({ sdk, faults: all, bare, mended }) => [
    sdk,
    String(all),
    ...[bare, mended].flatMap(({ right, lost, unsafe }) => [
      `${Math.round((100 * right) / all)} %`,
      String(lost),
      String(unsafe),
    ]),
  ]);
  console.log(`${options.markdown ? markdownOf(head, rows) : textTable(head, rows)}\n`);
}

function markdownOf(names: readonly string[], cells: readonly (readonly string[])[]): string {
  const line = (each: readonly string[]): string => `| ${each.join(" | ")} |`;
  return [line(names), line(names.map((_, i) => (i === 0 ? "---" : "---:"))), ...cells.map(line)].join("\n");
}
