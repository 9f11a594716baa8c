import { setImmediate as turn } from "node:timers/promises";

import { UndangleError } from "undangle";
import type { FoundThread, Run, RunEnd } from "undangle/agent";
import { expect, test } from "vitest";

import { createRecovery } from "./recovery.ts";

const threads = (count: number): readonly FoundThread[] =>
  Array.from({ length: count }, (_, i) => {
    const found: Pick<FoundThread, "id"> = { id: `t${i}` };
    return found as FoundThread; // nothing else of it is looked at
  });

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

test("threads are gone on with a few at a time, each once, until all were, and the log says how far that is", async () => {
  const logged: unknown[] = [];
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const recovery = createRecovery(
    ({ id }) => {
      begun.push(id);
      const { promise, resolve } = Promise.withResolvers<RunEnd>();
      ends.push(() => resolve({} as never));
      const run: Pick<Run, "id" | "result"> = { id, result: promise };
      return Promise.resolve(run as Run); // nobody reads its events
    },
    { ...silent, info: (facts, text) => void logged.push([text, facts]) },
  );
  recovery.add(threads(100));
  recovery.add(threads(100).slice(32)); // the same are found again while they wait
  await turn();
  expect(begun).toHaveLength(32);
  while (ends.length > 0) {
    ends.shift()?.();
    await turn();
  }
  expect([begun.length, new Set(begun).size]).toEqual([100, 100]);
  expect(logged).toEqual([
    ["Resuming interrupted threads", { done: 0, running: 1, waiting: 68 }],
    ["Resumed all interrupted threads", { done: 100 }],
  ]);
});

test("of threads in which there is nothing to do nothing is logged", async () => {
  const logged: unknown[] = [];
  const recovery = createRecovery(() => Promise.resolve(undefined), {
    ...silent,
    info: (facts) => void logged.push(facts),
  });
  recovery.add(threads(50));
  for (let i = 0; i < 10; i++) await turn();
  expect(logged).toEqual([]);
});

test("one that somebody else runs is no fault, and one that fails does not keep the others from it", async () => {
  const told: unknown[] = [];
  const seen: string[] = [];
  const recovery = createRecovery(
    ({ id }) => {
      seen.push(id);
      if (id === "t0") return Promise.reject(new UndangleError("thread/owned", { threadId: id, owner: "x" }));
      return id === "t1" ? Promise.reject(new Error("broken")) : Promise.resolve(undefined);
    },
    { ...silent, warn: ({ threadId }) => void told.push(threadId) },
  );
  recovery.add(threads(50));
  await turn();
  await turn();
  expect([seen.length, told]).toEqual([50, ["t1"]]);
});
