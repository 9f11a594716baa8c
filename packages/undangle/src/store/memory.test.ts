import { describe, expect, test } from "vitest";

import { testStore } from "#testing";

import { memoryStore } from "./memory.ts";

describe("memoryStore", () => {
  test.each(testStore(memoryStore))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
