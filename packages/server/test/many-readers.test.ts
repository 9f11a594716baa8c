import { memoryStore } from "undangle/agent";
import type { Store } from "undangle/agent";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test, vi } from "vitest";

import { serve } from "./serve-fixture.ts";

/** Reads the events of a thread, and says how many there were. */
async function read(port: number, id: string, signal: AbortSignal): Promise<() => number> {
  const response = await fetch(`http://127.0.0.1:${port}/threads/${id}/events`, { signal });
  let text = "";
  void (async () => {
    for await (const piece of response.body ?? []) text += Buffer.from(piece).toString();
  })().catch(() => undefined); // it is aborted at the end
  return () => text.split("\nevent: ").length - 1;
}

test("many who read events ask the store nothing while nothing happens, and hear what another server does", async () => {
  const asked: string[] = [];
  const shared = memoryStore();
  const store: Store = {
    ...shared,
    load(id) {
      asked.push(id);
      return shared.load(id);
    },
    events(id, range) {
      asked.push(id);
      return shared.events(id, range);
    },
  };
  const { app, call } = serve({ options: { store } });
  const { call: callOther } = serve({ turns: [{ text: "Yes." }], options: { store: shared } });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as { readonly port: number }; // it listens
  const ids = Array.from({ length: 200 }, (_, i) => `t${i}`);
  await Promise.all(ids.map((id) => call("POST", "/threads", { id })));
  const left = new AbortController();
  const heard = await Promise.all(ids.map((id) => read(port, id, left.signal)));
  await pause(300);
  asked.length = 0;
  await pause(1200);
  expect(asked).toEqual([]);
  const { body } = await callOther("POST", "/threads/t7/messages?wait=true", { content: "Well?" });
  expect(body).toMatchObject({ text: "Yes." });
  await vi.waitUntil(() => heard[7]?.() === 5, { timeout: 5000 });
  expect(heard.map((each) => each())).toEqual(ids.map((id) => (id === "t7" ? 5 : 0)));
  expect(new Set(asked)).toEqual(new Set(["t7"]));
  left.abort();
});
