import { createAgent } from "#engine";
import type { AgentEvent, Run, Thread } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";

import { postgresStore } from "../../src/store/postgres.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { freshDatabase, noPostgres } from "../postgres/fresh-database.ts";
import type { FreshDatabase } from "../postgres/fresh-database.ts";
import { quiet, soon, until } from "./promised.ts";
import { agentOptions, conversations, converse } from "./random-conversation.ts";
import { eventsOf } from "./recorded.ts";
import { isPassing, placeOf, wrongWith } from "./received-events.ts";

/** Somebody who reads the events of a thread. */
interface Plan {
  /** When it comes. */
  readonly ticks: number;
  /** So many events it reads before its connection breaks. */
  readonly size: number;
  /** It resumes after an id that another reader has seen by then; undefined: it reads from the beginning. */
  readonly seen: number | undefined;
  /** It reads through another process. */
  readonly isElsewhere: boolean;
}

const plans: fc.Arbitrary<readonly Plan[]> = fc.array(
  fc.record({
    ticks: fc.nat(30),
    size: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(Infinity)),
    seen: fc.option(fc.nat(), { nil: undefined }),
    isElsewhere: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
);

interface Reader {
  readonly after: string;
  readonly received: AgentEvent[];
  readonly leave: () => void;
  readonly left: Promise<void>;
}

/** Reads again and again, each time after the last id that was received. */
function follow(thread: Thread, after: string, size: number): Reader {
  const received: AgentEvent[] = [];
  const over = new AbortController();
  const read = async (): Promise<void> => {
    while (!over.signal.aborted) {
      let left = size;
      for await (const event of thread.events({ after: received.at(-1)?.id ?? after, signal: over.signal })) {
        received.push(event);
        if (--left <= 0) break;
      }
    }
  };
  return { after, received, leave: () => over.abort(), left: read() };
}

let database: FreshDatabase | undefined;
let shared: Store | undefined;
afterAll(() => database?.drop());

/** One database: every conversation has a thread of its own. */
async function onPostgres(): Promise<Store> {
  database ??= await freshDatabase();
  shared ??= postgresStore(database.pool());
  return shared;
}

let threads = 0;

const stores: readonly (readonly [name: string, open: () => Store | Promise<Store>, numRuns: number])[] = [
  ["memory", memoryStore, 150],
  ["sqlite", () => sqliteStore(":memory:"), 60],
  ...(noPostgres === undefined ? ([["postgres", onPostgres, 15]] as const) : []),
];

test.each(stores)(
  "every reader gets every stored event once and in order, wherever it begins and is cut off (%s)",
  async (_, open, numRuns) => {
    const property = fc.asyncProperty(conversations, plans, async (conversation, given) => {
      const store = await open();
      const id = `t${threads++}`;
      const options = agentOptions(conversation);
      const [here, elsewhere] = [options, { ...options, model: agentOptions(conversation).model }].map((each) =>
        createAgent({ ...each, store }),
      );
      if (here === undefined || elsewhere === undefined) throw new Error("There are two.");
      const thread = here.thread(id);
      const first = follow(thread, "0", Infinity);
      const runs: Run[] = [];
      const iterated: Promise<readonly AgentEvent[]>[] = [];
      const talk = converse(thread, conversation.deeds, (run) => {
        runs.push(run);
        iterated.push(eventsOf(run));
      });
      const joining = given.map(async ({ ticks, size, seen, isElsewhere }) => {
        await quiet(ticks);
        const after = seen === undefined ? "0" : (first.received[seen % Math.max(1, first.received.length)]?.id ?? "0");
        return follow((isElsewhere ? elsewhere : here).thread(id), after, size);
      });
      await soon(talk, 10_000);
      const readers = [first, ...(await Promise.all(joining))];
      const { lastEvent } = (await store.load(id)) ?? { lastEvent: 0 };
      const isThere = ({ received, after }: Reader): boolean =>
        placeOf(received.at(-1)?.id ?? after).number >= lastEvent;
      await until(() => readers.every(isThere)).catch(() => undefined); // what is missing is named below
      for (const { leave, left } of readers) {
        leave();
        await left;
      }
      const stored = await store.events(id);
      const wrong = readers.flatMap(({ received, after }, i) =>
        wrongWith(received, stored, after).map((each) => `reader ${i}: ${each}`),
      );
      for (const [i, each] of (await Promise.all(iterated)).entries())
        wrong.push(...wrongWithRun(each, stored).map((words) => `run ${i}: ${words}`));
      for (const [i, run] of runs.entries()) {
        const again = await eventsOf(run);
        wrong.push(...wrongWithRun(again, stored).map((words) => `run ${i}, again: ${words}`));
      }
      await Promise.all([here.close(), elsewhere.close()]);
      expect(wrong).toEqual([]);
    });
    await fc.assert(property, process.env["FUZZ"] ? {} : { numRuns });
  },
  process.env["FUZZ"] ? 0 : 120_000,
);

/** The same for the events of a run: a part of those that are stored. */
function wrongWithRun(events: readonly AgentEvent[], stored: Awaited<ReturnType<Store["events"]>>): readonly string[] {
  const kept = events
    .filter((event) => !isPassing(event))
    .filter(({ id, type }, i, all) => type !== "run_end" || (id !== "0" && id !== all[i - 1]?.id)); // else its end is not stored
  const [first] = kept;
  const last = kept.at(-1);
  if (first === undefined || last === undefined) return [];
  const { number, offset } = placeOf(first.id);
  const length = "text" in first.data ? first.data.text.length : 0;
  const after = offset === Infinity || offset === length ? `${number - 1}` : `${number}:${offset - length}`;
  return wrongWith(
    kept,
    stored.filter(({ seq }) => seq <= placeOf(last.id).number),
    after,
  );
}
