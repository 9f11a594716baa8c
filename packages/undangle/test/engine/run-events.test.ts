import { describe, expect, test } from "vitest";

import { createRunStage } from "./run-stage.ts";

describe("a run", () => {
  test("goes on when the loop over its events is left, and reads the same again from the beginning", async () => {
    const stage = createRunStage(["quick", "slow"]);
    const run = stage.thread.send("Go.");
    const seen: string[] = [];
    for await (const { type } of run) {
      seen.push(type);
      if (type === "tool_call_running") break;
    }
    stage.slow.resolve("ok");
    expect((await run.result).text).toBe("One.");
    const read = async (): Promise<readonly unknown[]> => {
      const events: unknown[] = [];
      for await (const event of run) events.push(event);
      return events;
    };
    const [once, twice] = await Promise.all([read(), read()]);
    expect(once).toEqual(twice);
    expect(once?.map((event) => (event as { type: string }).type).slice(0, seen.length)).toEqual(seen); // all are events
    expect(once?.at(-1)).toMatchObject({ type: "run_end", data: { status: "done" } });
  });

  test("tells the same as the store and as thread.events(), without gaps", async () => {
    const stage = createRunStage(["quick", "gated"]);
    const { thread, store } = stage;
    const run = thread.send("Go.");
    await run.result;
    const decided = thread.approveAll();
    await decided.result;
    const told: { readonly type: string; readonly data: unknown }[] = [];
    for (const each of [run, decided]) for await (const event of each) told.push(event);
    const isPiece = (type: string): boolean => type.endsWith("_delta");
    const stored = await store.events("t");
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, i) => i + 1));
    const whole = (events: readonly { readonly type: string; readonly data: unknown }[]): readonly unknown[] =>
      events.filter(({ type }) => !isPiece(type)).map(({ type, data }) => ({ type, data }));
    expect(whole(told)).toEqual(whole(stored));
    const controller = new AbortController();
    const read: unknown[] = [];
    for await (const { type, data, id } of thread.events({ signal: controller.signal })) {
      read.push({ type, data });
      if (id === String(stored.length)) break;
    }
    expect(read).toEqual(stored.map(({ type, data }) => ({ type, data })));
  });

  test("thread.events() begun in the middle of an answer misses nothing of it, and ends with its signal", async () => {
    const text = "abcdefghij".repeat(20);
    const { thread } = createRunStage([], {}, [{ text, pace: 2 }]);
    const run = thread.send("Go.");
    for await (const { type } of run) if (type === "text_delta") break;
    const controller = new AbortController();
    let heard = "";
    for await (const event of thread.events({ signal: controller.signal })) {
      if (event.type === "text_delta") heard += event.data.text;
      if (event.type === "run_end") controller.abort();
    }
    expect(heard).toBe(text);
  });
});
