import { expect, test } from "vitest";

import { createPresence } from "./presence.ts";

test("a thread that is deleted here is gone at once, and there again when it is had back; the store is not asked", async () => {
  const presence = createPresence(() => Promise.reject(new Error("asked")));
  const isThere = presence.of("t");
  expect(await isThere()).toBe(true);
  presence.note("t", true);
  expect(await isThere()).toBe(false);
  presence.note("t", false);
  expect(await isThere()).toBe(true);
});

test("a thread that is deleted elsewhere is gone when the store is asked the next time", async () => {
  let isInStore = true;
  const isThere = createPresence(() => Promise.resolve(isInStore), 0).of("t");
  expect(await isThere()).toBe(true);
  isInStore = false;
  expect(await isThere()).toBe(false);
});
