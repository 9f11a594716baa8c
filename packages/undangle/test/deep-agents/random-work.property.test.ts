import fc from "fast-check";
import { expect, test } from "vitest";

import { stacks } from "./random-stack.ts";
import { deeds, work } from "./random-work.ts";
import type { Work } from "./random-work.ts";
import { toolNames } from "./random-turns.ts";

const numRuns = 80;

test(
  "whatever the stack and whatever happens: valid requests, no lost results, no second start, no hidden question",
  async () => {
    const happened = new Set<string>();
    const property = fc.asyncProperty(stacks, fc.nat(), deeds, async (stack, seed, given) => {
      const done = await work(stack, seed, given);
      expect(done.wrong).toEqual([]);
      for (const each of happenedIn(done)) happened.add(each);
      happened.add(stack.family.name);
    });
    await fc.assert(property, process.env["FUZZ"] ? {} : { numRuns });
    const expected = ["summary", "eviction", "reduction", "stored message", "task", "question"];
    expect([...happened]).toEqual(expect.arrayContaining(expected));
  },
  process.env["FUZZ"] ? 0 : 120_000,
);

/** What really happened, so that the test above does not hold because nothing did. */
function happenedIn({ requests, events }: Work): readonly string[] {
  const sent = JSON.stringify(requests.map(({ body }) => body));
  const signs: Readonly<Record<string, boolean>> = {
    summary: requests.some(({ body }) => toolNames(body).length === 0),
    eviction: /large_tool_results\/call_\d/u.test(sent),
    reduction: /large_tool_results\/t-\d+-\d+/u.test(sent),
    "stored message": /conversation_history\/[0-9a-f]{12}/u.test(sent),
    task: sent.includes("You help."),
    question: events.has("approval_required"),
  };
  return Object.keys(signs).filter((name) => signs[name] === true);
}
