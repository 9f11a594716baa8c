// What programs hear through the SDKs when streams are damaged: `npm run bench -- clients [--only TEXT]`.
import { parseArgs } from "node:util";
import { wrapFetch } from "undangle";
import { undangleModel } from "undangle/ai-sdk";
import { type FaultName, faultNames, faults, type WireFormat, wireServer } from "undangle/testing";
import { aiPrograms } from "../packages/undangle/test/clients/ai-sdk.ts";
import { type Heard, sdks } from "../packages/undangle/test/clients/sdks.ts";
import { turn, type Verdict, verdictOn } from "../packages/undangle/test/clients/verdict.ts";
import { textTable } from "./measure/text-table.ts";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" }, // the SDKs with this text in their name
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
  const head = ["SDK", "kinds of damage", "bare: right", "lost", "unsafe", `\`${what}\`: right`, "lost", "unsafe"];
  const rows = scores.map(({ sdk, faults: all, bare, mended }) => [
    sdk,
    String(all),
    ...[bare, mended].flatMap(({ right, lost, unsafe }) => [
      `${Math.round((100 * right) / all)} %`,
      String(lost),
      String(unsafe),
    ]),
  ]);
  console.log(`${textTable(head, rows)}\n`);
}
