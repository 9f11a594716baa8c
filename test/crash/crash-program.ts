/**
 * `npm run crash -- [--kills 1000] [--seed 1] [--from 0] [--jobs 2] [--store sqlite]`: kills processes in the middle of
 * everything, recovers their threads, and tells what does not hold. `--kills 1 --seed S --from E` plays one episode again.
 * `--store postgres` keeps the threads on a server, which is started for it.
 */
import { parseArgs } from "node:util";

import { makeDatabase } from "../../packages/undangle/test/postgres/make-database.ts";
import { startServer } from "../../packages/undangle/test/postgres/start-server.ts";
import { postgresPlaces } from "./places.ts";
import { playEpisodes } from "./play-episodes.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "1000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    from: { type: "string", default: "0" },
    jobs: { type: "string", default: "2" },
    store: { type: "string", default: "sqlite" },
  },
});
const [kills, seed, from, jobs] = [values.kills, values.seed, values.from, values.jobs].map((value) => {
  if (/^\d{1,9}$/u.test(value)) return Number(value);
  throw new RangeError(`${value} is not a whole number`);
}) as [number, number, number, number]; // as many as there are options

if (values.store !== "sqlite" && values.store !== "postgres")
  throw new RangeError(`${values.store} is not a store: sqlite, postgres`);
const server = values.store === "postgres" ? await startServer() : undefined;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

say(`seed ${seed}`);
let told = 0;
const { tally, failures } = await playEpisodes({
  kills,
  seed,
  from,
  jobs,
  ...(server !== undefined && { places: postgresPlaces(() => makeDatabase(server.url)) }),
  onEpisode(soFar) {
    if (soFar.kills() - told < 100) return;
    told = soFar.kills();
    say(`… ${told} kills`);
  },
});
for (const { episode, problems } of failures) {
  say(
    `\nepisode ${episode} (again: npm run crash -- --seed ${seed} --from ${episode} --kills 1 --jobs 1 --store ${values.store})`,
  );
  for (const problem of problems) say(`  ${problem}`);
}
say(`\n${tally.lines().join("\n")}`);
say(failures.length === 0 ? "\nEverything holds." : `\n${failures.length} episodes failed.`);
await server?.close();
process.exitCode = failures.length === 0 ? 0 : 1;
