import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { makeBench } from "./threads.fixture.ts";
import type { Bench } from "./threads.fixture.ts";

let bench: Bench;
beforeEach(() => {
  bench = makeBench();
});
afterEach(() => bench.remove());

const say = (id: string, text: string): Promise<unknown> =>
  bench.withAgent({}, (agent) => agent.thread(id).send(text).result);

describe("delete and restore", () => {
  test("a deleted thread is gone from the list until it is restored, and the way back is told", async () => {
    await say("t1", "Hello?");
    const gone = await bench.run("delete", "t1");
    expect(gone).toMatchObject({ exitCode: 0, stdout: "t1: deleted\n", stderr: "Undo: undangle threads restore t1\n" });
    expect(await bench.run("list")).toMatchObject({
      stdout: "",
      stderr: "All threads are deleted. List them with: undangle threads list --deleted\n",
    });
    expect((await bench.run("list", "--deleted")).stdout).toMatch(/^t1\tdeleted\t/u);
    expect(await bench.run("show", "t1")).toMatchObject({ exitCode: 2 });
    expect((await bench.run("delete", "t1")).stdout).toBe("t1: was deleted already\n");
    expect((await bench.run("restore", "t1", "--json")).stdout).toBe('[{"id":"t1","restored":true}]\n');
    expect((await bench.run("restore", "t1")).stdout).toBe("t1: is not deleted\n");
    expect((await bench.run("list")).stdout).toMatch(/^t1\tidle/u);
  });

  test("a person is asked, and anything but a yes is a no", async () => {
    await say("t1", "Hello?");
    const world = { isTTY: true, stdin: undefined }; // a terminal at which nothing is typed
    const { stderr } = await bench.runAs(world, "delete", "t1");
    expect(stderr).toContain("Delete t1? [y/N] Nothing was deleted.");
    expect((await bench.runAs(world, "delete", "t1", "--yes")).stdout).toBe("t1: deleted\n");
  });

  test("a wrong id among others is told before anything is done", async () => {
    await say("t1", "Hello?");
    expect((await bench.run("delete", "t1", "t9")).exitCode).toBe(2);
    expect((await bench.run("list")).stdout).toMatch(/^t1\tidle/u);
  });

  test("--purge removes threads permanently, also those that are marked as deleted", async () => {
    for (const id of ["t1", "t2", "t3"]) await say(id, "Hello?");
    await bench.run("delete", "t2");
    const gone = await bench.run("delete", "t1", "t2", "--purge", "--yes");
    expect(gone).toMatchObject({
      exitCode: 0,
      stdout: "t1: removed permanently\nt2: removed permanently\n",
      stderr: "",
    });
    expect((await bench.run("restore", "t1")).exitCode).toBe(2);
    expect((await bench.run("list", "--deleted")).stdout).toBe("");
    expect((await bench.run("list")).stdout).toMatch(/^t3\tidle[^\n]*\n$/u);
    expect((await bench.run("delete", "t3", "--purge", "--yes", "--json")).stdout).toBe(
      '[{"id":"t3","purged":true}]\n',
    );
  });

  test("child threads are not listed, and are deleted, restored and purged with their parent", async () => {
    await say("t1", "Hello?");
    await bench.inStore(async (store) => {
      const head = await store.load("t1");
      if (head === undefined) throw new Error("The thread was not saved.");
      const child = { ...head, parent: "t1" };
      await store.commit({ thread: "t1/1", version: 0, at: 1, head: child, entries: [], calls: [], events: [] });
    });
    const childOf = () => bench.inStore((store) => store.load("t1/1"));
    const listed = async (...argv: readonly string[]) =>
      (await bench.run("list", ...argv)).stdout.split("\n").map((line) => line.split("\t")[0]);
    expect(await listed()).toEqual(["t1", ""]);
    await bench.run("delete", "t1");
    expect(await listed("--deleted")).toEqual(["t1", ""]);
    expect((await childOf())?.deletedAt).toBeDefined();
    await bench.run("restore", "t1");
    expect((await childOf())?.deletedAt).toBeUndefined();
    await bench.run("delete", "t1", "--purge", "--yes");
    expect(await childOf()).toBeUndefined();
  });

  test("--purge asks for confirmation, and needs --yes without a terminal", async () => {
    await say("t1", "Hello?");
    expect(await bench.run("delete", "t1", "--purge")).toMatchObject({
      exitCode: 2,
      stderr: "undangle: --purge cannot be undone. Without a terminal, confirm it with --yes.\n",
    });
    const world = { isTTY: true, stdin: undefined }; // a terminal at which nothing is typed
    const { stderr } = await bench.runAs(world, "delete", "t1", "--purge");
    expect(stderr).toContain("Remove t1 permanently? This cannot be undone. [y/N] Nothing was deleted.");
    expect((await bench.run("list")).stdout).toMatch(/^t1\tidle/u);
  });
});
