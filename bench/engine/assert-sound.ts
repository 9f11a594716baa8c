import { baseline, contenderOf, engineRow } from "./contenders.ts";
import type { Entrant, LastRequest } from "./contenders.ts";
import type { Script } from "./workload.ts";

/** The engine's model gets the same request, to the letter, as that of the loop that it is compared with. */
export async function assertSameRequests(
  entrants: readonly Entrant[],
  script: Script,
  lastRequest: LastRequest,
): Promise<void> {
  const requestOf = async (name: string): Promise<string> => {
    const entrant = entrants.find((each) => each.name === name);
    if (entrant === undefined) throw new Error(`Nobody is called ${name}.`);
    await contenderOf(entrant, script, 1).prepare().run();
    return lastRequest.text;
  };
  if ((await requestOf(baseline)) !== (await requestOf(engineRow))) throw new Error("The requests are not the same.");
}
