import { ok } from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";

import { makeCommit } from "./store-case.ts";
import type { StoreCases } from "./store-case.ts";

const event = { type: "a", data: null };

/** The time limit of a notification, in milliseconds. */
const patience = 3000;

/** The requirements for `watch`, which is optional. */
export const watchCases: StoreCases = {
  "a watcher of a thread gets its last event, from the first commit on": async (store) => {
    let told = 0;
    const leave = store.watch?.("t1", (lastEvent) => (told = lastEvent));
    if (leave === undefined) return;
    await store.commit(makeCommit({ events: [event, event] }));
    await until(() => told >= 2, "the second event was not reported");
    await store.commit(makeCommit({ version: 1, events: [event] }));
    await until(() => told >= 3, "the third event was not reported");
    leave();
  },

  "every watcher of a thread gets its events until it unsubscribes": async (store) => {
    const told = [0, 0, 0];
    const leaves = told.map((_, i) => store.watch?.("t1", (lastEvent) => (told[i] = lastEvent)));
    if (leaves.includes(undefined)) return;
    leaves[1]?.();
    leaves[1]?.(); // a second call has no effect
    await store.commit(makeCommit({ events: [event] }));
    await until(() => told[0] === 1 && told[2] === 1, "a watcher got no event");
    ok(told[1] === 0, "a watcher got an event after it unsubscribed");
    for (const leave of leaves) leave?.();
  },

  "watchers are notified when the store closes": async (store) => {
    let told = 0;
    const leave = store.watch?.("t1", (lastEvent) => (told = lastEvent));
    if (leave === undefined) return;
    await store.close();
    await until(() => told === Infinity, "no watcher was notified of the closed store");
    leave();
  },
};

async function until(holds: () => boolean, fault: string): Promise<void> {
  for (const end = performance.now() + patience; !holds(); await pause(5)) ok(performance.now() < end, fault);
}
