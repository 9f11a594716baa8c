import { equal } from "node:assert/strict";

import type { StoreCases } from "./store-case.ts";

/** Leases of owners. */
export const ownerCases: StoreCases = {
  "the heartbeat of an owner is its most recent": async (store) => {
    equal(await store.lastBeat("me"), undefined);
    await store.beat("me", 1_700_000_000_000);
    await store.beat("you", 5);
    equal(await store.lastBeat("me"), 1_700_000_000_000);
    await store.beat("me", 1_700_000_000_500);
    equal(await store.lastBeat("me"), 1_700_000_000_500);
    await store.beat("me", 7); // a clock that was set back
    equal(await store.lastBeat("me"), 7);
    equal(await store.lastBeat("you"), 5);
  },

  "an owner that left has no heartbeat, and can return": async (store) => {
    await store.beat("me", 1);
    await store.leave("me");
    equal(await store.lastBeat("me"), undefined);
    await store.leave("me");
    await store.leave("nobody");
    await store.beat("me", 2);
    equal(await store.lastBeat("me"), 2);
  },
};
