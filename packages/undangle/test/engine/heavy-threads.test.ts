import { createAgent } from "#engine";
import type { AgentEvent } from "#engine";
import { scriptedModel } from "#testing";
import { expect, test } from "vitest";

import { cachePool } from "../../src/engine/thread/thread-cache.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { until } from "./promised.ts";

/** A history of about four million characters. */
const history = (name: string): readonly unknown[] =>
  Array.from({ length: 40 }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    content: `${name} ${i} ${"word ".repeat(20_000)}`,
  }));

test(
  "an agent that has seen many long threads holds a few of them, and answers in all",
  { timeout: 60_000 },
  async () => {
    const store = sqliteStore(":memory:");
    const model = scriptedModel([{ text: "Yes." }], { loop: true });
    const agent = createAgent({ model, store });
    const heard: AgentEvent[] = [];
    const left = new AbortController();
    const reading = (async () => {
      for await (const event of agent.thread("t0").events({ signal: left.signal })) heard.push(event);
    })();
    const ids = Array.from({ length: 20 }, (_, i) => `t${i}`);
    for (const id of ids) {
      await agent.thread(id).import(history(id), { format: "openai-chat" });
      await new Promise((resolve) => setTimeout(resolve, 110)); // they are looked at that often
      await agent.thread("another").pending();
      expect(cachePool.idleBytes()).toBeLessThan(64_000_000);
    }
    for (const id of ["t0", "t1", "t19"]) {
      expect((await agent.thread(id).send("Well?").result).text).toBe("Yes.");
      const sent = JSON.stringify(model.requests.at(-1)?.messages);
      expect([sent.includes(`${id} 0 word`), sent.includes(`${id} 39 word`)]).toEqual([true, true]);
    }
    await until(() => heard.some(({ type }) => type === "run_end")); // whoever listens is not forgotten
    left.abort();
    await reading;
    await agent.close();
    await store.close();
  },
);
