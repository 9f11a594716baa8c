import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { freshDatabase, noPostgres } from "../../packages/undangle/test/postgres/fresh-database.ts";
import { bundleProgram, startChild } from "./child-process.ts";
import type { Child, ChildEnd } from "./child-process.ts";
import { readDiary } from "./diary.ts";
import type { Stage } from "./episode.ts";
import type { Point } from "./failpoints.ts";
import { filePlaces, postgresPlaces } from "./places.ts";
import { playEpisodes } from "./play-episodes.ts";
import { mountSmallDisk } from "./small-disk.ts";
import type { SmallDisk } from "./small-disk.ts";
import { nothing, takeSnapshot } from "./snapshot.ts";
import { playStaleWriter } from "./stale-writer.ts";
import { openStrictFormats } from "./strict-formats.ts";
import { brokenLaws, storedHistory, unrest } from "./thread-laws.ts";
import { canMakeRoom, holdLock, makeRoom, withoutRoom } from "./trouble.ts";

// As many as one likes: npm run crash -- --kills 1000
test("40 processes are killed in the middle of everything, and their threads are whole and go on", async () => {
  const { tally, failures } = await playEpisodes({ seed: 8, kills: 40 });
  expect(failures).toEqual([]);
  expect(tally.kills()).toBeGreaterThanOrEqual(40);
  expect(tally.places().length, "of 26 places").toBeGreaterThan(18);
}, 300_000);

test("the command plays one episode again", async () => {
  const command = [
    "--conditions=undangle-source",
    "--no-warnings",
    fileURLToPath(new URL("crash-program.ts", import.meta.url)),
  ];
  const { UNDANGLE_TEST_POSTGRES: _, ...env } = process.env; // set for tests only
  const again = [...command, "--seed", "8", "--from", "0", "--kills", "1", "--jobs", "1"];
  const { stdout } = await promisify(execFile)(process.execPath, again, { env });
  expect(stdout).toContain("Everything holds.");
}, 60_000);

test.skipIf(noPostgres !== undefined)(
  "and 12 of them on Postgres",
  async () => {
    const { tally, failures } = await playEpisodes({
      seed: 5,
      kills: 12,
      places: postgresPlaces(() => freshDatabase()),
    });
    expect(failures).toEqual([]);
    expect(tally.kills()).toBeGreaterThanOrEqual(12);
  },
  300_000,
);

describe.skipIf(process.platform !== "linux")("beside processes that die", () => {
  const folder = mkdtempSync(join(tmpdir(), "undangle-crash-"));
  let stage: Stage;
  let disk: SmallDisk | undefined;

  beforeAll(async () => {
    disk = mountSmallDisk(join(folder, "disk"));
    const places = filePlaces(folder);
    stage = { folder, places, program: bundleProgram(folder), strict: await openStrictFormats() };
  });
  afterAll(async () => {
    await stage.strict.close();
    disk?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  // Elsewhere too: npm run crash
  const points: readonly Point[] = [
    "start:before",
    "start:after",
    "tool:middle",
    "result:before",
    "decision:before",
    "stream",
  ];

  test.for(points)("one that stood still at %s and was taken for dead is refused when it wakes up", async (point) => {
    const { isReached, problems } = await playStaleWriter(stage, point, 2);
    expect({ isReached, problems }).toEqual({ isReached: true, problems: [] });
  });

  /** Lets a process talk while something is wrong with its store, and says how that went. */
  const talk = async (name: string, { path, storeWait, trouble, shell }: Talk): Promise<Talked> => {
    const diary = join(folder, `${name}.diary`);
    const person = { seed: 3, messages: 6, isMoody: false, expiresAfter: undefined, way: undefined };
    const task = {
      path,
      diary,
      threads: ["t1"],
      busyTimeout: 20,
      storeWait,
      failpoint: undefined,
      notBefore: 0,
      ...person,
    };
    const child = startChild(stage.program, task, shell);
    const codesOf = (type: "wait" | "fault"): readonly string[] =>
      readDiary(diary).flatMap((line) => (line.type === type ? [line.code] : []));
    const isFelt = async (): Promise<void> => {
      while (codesOf(storeWait > 1000 ? "wait" : "fault").length < 2) await pause(10);
    };
    await child.ready;
    await trouble(child, Promise.race([isFelt(), child.ended]));
    const { code, complaint } = await child.ended;
    const found = await takeSnapshot(path, "t1");
    const lines = readDiary(diary).filter((line) => "thread" in line);
    const complaints = await stage.strict.complaints(storedHistory(found), []);
    const problems = [...brokenLaws(nothing, found, lines), ...unrest(found), ...complaints];
    const [waits, faults] = [new Set(codesOf("wait")), new Set(codesOf("fault"))];
    return { code, complaint, problems, waits: [...waits], faults: [...faults] };
  };

  test("one whose database is locked for a while waits, and loses nothing", async () => {
    const path = join(folder, "locked.db");
    const talked = await talk("locked", { path, storeWait: 20_000, trouble: (_, felt) => holdLock(path, felt) });
    expect(talked).toEqual({ ...wentWell, waits: ["store/busy"] });
  });

  test("one whose database is locked for too long says so, and goes on when it is not", async () => {
    const path = join(folder, "locked-long.db");
    const talked = await talk("locked-long", { path, storeWait: 50, trouble: (_, felt) => holdLock(path, felt) });
    expect({ ...talked, waits: [] }).toEqual({ ...wentWell, faults: ["store/busy"] });
  });

  describe.skipIf(!canMakeRoom)("on a disk", () => {
    /** A disk that is really full, or else files that may not grow. */
    const fullDisk = (): Pick<Talk, "trouble" | "shell"> => ({
      shell: disk === undefined ? withoutRoom : undefined,
      async trouble(child, felt) {
        disk?.fill(100_000);
        await felt;
        disk?.makeRoom();
        makeRoom(child);
      },
    });

    test("that is full for a while, one waits, and loses nothing", async () => {
      const path = join(folder, "disk/full.db");
      const talked = await talk("full", { path, storeWait: 20_000, ...fullDisk() });
      expect(talked).toEqual({ ...wentWell, waits: ["store/full"] });
    });

    test("that is full for too long, one says so, and goes on when there is room", async () => {
      const path = join(folder, "disk/full-long.db");
      const talked = await talk("full-long", { path, storeWait: 50, ...fullDisk() });
      expect({ ...talked, waits: [] }).toEqual({ ...wentWell, faults: ["store/full"] });
    });
  });
});

interface Talk {
  readonly path: string;
  readonly storeWait: number;
  /** What is wrong until the process has felt it. */
  readonly trouble: (child: Child, felt: Promise<unknown>) => Promise<void>;
  /** What a shell does before it becomes the process. */
  readonly shell?: string | undefined;
}

interface Talked extends Pick<ChildEnd, "code" | "complaint"> {
  readonly problems: readonly string[];
  /** The errors of the store that were waited for, and those with which runs ended. */
  readonly waits: readonly string[];
  readonly faults: readonly string[];
}

const wentWell: Talked = { code: 0, complaint: "", problems: [], waits: [], faults: [] };
