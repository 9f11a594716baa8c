import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { freshDatabase, noPostgres } from "../../packages/undangle/test/postgres/fresh-database.ts";
import { bundleProgram, startChild } from "./child-process.ts";
import { readDiary } from "./diary.ts";
import { filePlaces, postgresPlaces } from "./places.ts";
import type { Places } from "./places.ts";
import { openStrictFormats } from "./strict-formats.ts";
import type { StrictFormats } from "./strict-formats.ts";
import { storedHistory } from "./thread-laws.ts";
import { converseInTree } from "./tree-conversation.ts";
import { brokenTreeLaws, noTree, snapshotOfTree, unfinished } from "./tree-laws.ts";

/** Every place at which a process can die, and not only some: CRASH_PLACES=all npm test -- crash/tree */
const isThorough = process.env["CRASH_PLACES"] === "all";

interface Deaths {
  readonly name: string;
  readonly places: Places;
  readonly isEager: boolean;
  /** The places, by number, at which one process after the other dies. */
  readonly at: readonly number[];
}

describe("tasks of processes that are killed", () => {
  const folder = mkdtempSync(join(tmpdir(), "undangle-tree-"));
  let program: string;
  let strict: StrictFormats;
  beforeAll(async () => {
    program = bundleProgram(folder, "tree-program");
    strict = await openStrictFormats();
  });
  afterAll(async () => {
    await strict.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Lets processes die, continues in this one, and returns what does not hold, and where they died. */
  async function play({
    name,
    places,
    isEager,
    at,
  }: Deaths): Promise<{ readonly problems: readonly string[]; readonly points: readonly string[] }> {
    const files = { path: await places.make(name), diary: join(folder, `${name}.diary`) };
    const problems: string[] = [];
    let known = noTree;
    const examine = async (when: string): Promise<void> => {
      const lines = readDiary(files.diary);
      const found = await snapshotOfTree(files.path, lines);
      const broken = [...brokenTreeLaws(known, found, lines)];
      for (const thread of found.threads.values()) {
        const history = storedHistory(thread);
        if (history.length > 0) broken.push(...(await strict.complaints(history, [])));
      }
      problems.push(...broken.map((each) => `${when}: ${each}`));
      known = found;
    };
    for (const diesAt of at) {
      const { signal, code, complaint } = await startChild(program, { ...files, isEager, diesAt }).ended;
      if (signal !== "SIGKILL" && code !== 0) problems.push(`a process ended with ${signal ?? code}: ${complaint}`);
      await examine(`after a death at place ${diesAt}`);
    }
    const requests = await converseInTree({ ...files, isEager, visit: () => undefined });
    for (const { messages, tools } of requests) problems.push(...(await strict.complaints(messages, tools)));
    await examine("after recovery");
    const lines = readDiary(files.diary);
    const faults = lines.flatMap((line) => (line.type === "fault" ? [`a run failed: ${line.message}`] : []));
    const points = lines.flatMap((line) => (line.type === "failpoint" ? [line.point] : []));
    return { problems: [...problems, ...faults, ...unfinished(known)], points };
  }

  /** How many places there are when nobody dies. */
  async function countPlaces(isEager: boolean): Promise<number> {
    let count = 0;
    const name = `count-${isEager}`;
    const path = join(folder, `${name}.db`);
    await converseInTree({ path, diary: join(folder, `${name}.diary`), isEager, visit: () => count++ });
    return count;
  }

  /** Plays two at a time. Returns the points that were reached, and what does not hold. */
  async function playAll(
    all: readonly Deaths[],
  ): Promise<{ readonly points: ReadonlySet<string>; readonly failures: readonly unknown[] }> {
    const left = [...all];
    const points = new Set<string>();
    const failures: unknown[] = [];
    const work = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const { problems, points: reached } = await play(next);
        for (const point of reached) points.add(point);
        if (problems.length > 0) failures.push({ at: next.at, isEager: next.isEager, reached, problems });
      }
    };
    await Promise.all([work(), work()]);
    return { points, failures };
  }

  test.each([false, true])(
    "nothing is lost, done twice or asked again, wherever they die (decisions while tasks run: %s)",
    async (isEager) => {
      const count = await countPlaces(isEager);
      const places = filePlaces(folder);
      const stride = isThorough ? 1 : 6;
      const once = Array.from({ length: Math.ceil(count / stride) }, (_, i) => [
        1 + i * stride + ((isEager ? 3 : 0) % stride),
      ]);
      const twice = Array.from({ length: isThorough ? count : 5 }, (_, i) => {
        const step = isThorough ? 1 : Math.floor(count / 5);
        return [3 + i * step, 2 + ((i * 7) % 23)]; // the second dies while it recovers
      });
      const all = [...once, ...twice].map((at) => ({ name: `${isEager}-${at.join("-")}`, places, isEager, at }));
      const { points, failures } = await playAll(all);
      expect(failures).toEqual([]);
      expect(points.size).toBeGreaterThan(isThorough ? 18 : 9);
    },
    isThorough ? 1_200_000 : 120_000,
  );

  test.skipIf(noPostgres !== undefined)(
    "nor on Postgres",
    async () => {
      const places = postgresPlaces(() => freshDatabase());
      const at = isThorough ? Array.from({ length: 80 }, (_, i) => [1 + i]) : [[20], [41], [55, 9]];
      const all = at.map((each) => ({ name: `postgres-${each.join("-")}`, places, isEager: true, at: each }));
      const { failures } = await playAll(all);
      await places.close();
      expect(failures).toEqual([]);
    },
    isThorough ? 1_200_000 : 120_000,
  );
});
