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
      stderr: "There are no threads but deleted ones: undangle threads list --deleted\n",
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
    const world = { isTTY: true, stdin: undefined as unknown as string }; // somebody sits there, and says nothing
    const { stderr } = await bench.runAs(world, "delete", "t1");
    expect(stderr).toContain("Delete t1? [y/N] Nothing was deleted.");
    expect((await bench.runAs(world, "delete", "t1", "--yes")).stdout).toBe("t1: deleted\n");
  });

  test("a wrong id among others is told before anything is done", async () => {
    await say("t1", "Hello?");
    expect((await bench.run("delete", "t1", "t9")).exitCode).toBe(2);
    expect((await bench.run("list")).stdout).toMatch(/^t1\tidle/u);
  });
});
