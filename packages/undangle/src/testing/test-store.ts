import type { Store } from "#store";

import { childCases } from "./store-cases/child-cases.ts";
import { commitCases } from "./store-cases/commit-cases.ts";
import { fileCases } from "./store-cases/file-cases.ts";
import { ownerCases } from "./store-cases/owner-cases.ts";
import { readCases } from "./store-cases/read-cases.ts";
import type { StoreCases } from "./store-cases/store-case.ts";
import { sharedFileCases } from "./store-cases/shared-file-cases.ts";
import { textCases } from "./store-cases/text-cases.ts";
import { threadCases } from "./store-cases/thread-cases.ts";
import { valueCases } from "./store-cases/value-cases.ts";
import { watchCases } from "./store-cases/watch-cases.ts";

/** One requirement for a store, as a test. */
export interface StoreCase {
  /** The requirement as a sentence. */
  readonly name: string;
  /** Rejects with the expected and the actual value. */
  readonly run: () => Promise<void>;
}

/**
 * All requirements for a store as tests for any runner: `for (const { name, run } of testStore(open)) test(name, run)`.
 * `open` is called for each test and returns an empty store, which is closed after the test.
 */
export function testStore(open: () => Store | Promise<Store>): readonly StoreCase[] {
  return Object.entries(cases).map(([name, check]) => ({
    name,
    run: async () => {
      const store = await open();
      try {
        await check(store);
      } finally {
        await store.close();
      }
    },
  }));
}

const cases: StoreCases = {
  ...commitCases,
  ...readCases,
  ...textCases,
  ...threadCases,
  ...childCases,
  ...ownerCases,
  ...valueCases,
  ...fileCases,
  ...sharedFileCases,
  ...watchCases,
};
