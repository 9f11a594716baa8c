import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

const inRoot = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const fuzzing = Boolean(process.env["FUZZ"]);
const testFiles = fuzzing ? "*.property.test.ts" : "*.test.ts";

/** Tests run on the sources: `undangle`, `#core` and its siblings lead to `src/`, not to `dist/`. */
const conditions = ["undangle-source", "node", "development"];
const onSources = {
  resolve: {
    conditions,
    alias: [
      { find: /^undangle$/u, replacement: inRoot("packages/undangle/src/index.ts") },
      { find: /^undangle\/(ai-sdk|langchain)$/u, replacement: inRoot("packages/undangle/src/adapters/$1.ts") },
      { find: /^undangle\/agent$/u, replacement: inRoot("packages/undangle/src/middleware/public-names.ts") },
      { find: /^undangle\/files$/u, replacement: inRoot("packages/undangle/src/files/public-names.ts") },
      { find: /^undangle\/models$/u, replacement: inRoot("packages/undangle/src/model/index.ts") },
      {
        find: /^undangle\/store\/(memory|postgres|sqlite)$/u,
        replacement: inRoot("packages/undangle/src/store/$1.ts"),
      },
      { find: /^undangle\/([\w-]+)$/u, replacement: inRoot("packages/undangle/src/$1/index.ts") },
    ],
  },
  ssr: { resolve: { conditions } },
};

/**
 * `screenshots` takes longest: no worker is alone with it at the end. `wrap-fetch-memory` collects garbage, which takes
 * five times as long in a worker that has run other files.
 */
const first = /\/(?:screenshots|wrap-fetch-memory)\.test\.ts$/u;

class SomeFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isFirst = ({ moduleId }: TestSpecification): boolean => first.test(moduleId);
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))];
  }
}

/** A Postgres for the tests that ask for one. */
const sharedPostgres = inRoot("packages/undangle/test/postgres/shared-server.ts");
/** Files share the modules of their worker: what one leaves behind would be a fault of a module, which has no state. */
const shared = {
  retry: process.env["CI"] === undefined ? 0 : 1, // a busy machine delays processes and browsers; `npm test` lists what was retried
  setupFiles: [inRoot("test/property-runs.ts")],
  isolate: false,
  env: { NODE_DISABLE_COMPILE_CACHE: "1" }, // programs that tests start write nothing into the home folder
};

export default defineConfig({
  test: {
    maxWorkers: availableParallelism() + 1, // tests wait for servers, processes and pages much of the time
    sequence: { sequencer: SomeFilesFirst },
    projects: [
      {
        ...onSources,
        test: {
          name: "undangle",
          root: inRoot("packages/undangle"),
          include: [`src/**/${testFiles}`, `test/**/${testFiles}`],
          globalSetup: sharedPostgres,
          ...shared,
          testTimeout: fuzzing ? 0 : 20_000,
        },
      },
      {
        ...onSources,
        test: {
          name: "server",
          root: inRoot("packages/server"),
          include: [`src/**/${testFiles}`, `test/**/${testFiles}`],
          globalSetup: sharedPostgres,
          ...shared,
          testTimeout: fuzzing ? 0 : 30_000,
        },
      },
      {
        ...onSources,
        test: {
          name: "studio",
          root: inRoot("packages/studio"),
          include: [`src/**/${testFiles}`],
          ...shared,
        },
      },
      {
        ...onSources,
        test: {
          name: "browser",
          root: inRoot("packages/studio"),
          include: [`test/**/${testFiles}`],
          globalSetup: inRoot("packages/studio/test/build-studio.ts"),
          ...shared,
          expect: { poll: { timeout: 10_000 } }, // as long as Playwright waits
          testTimeout: fuzzing ? 0 : 60_000,
        },
      },
      {
        ...onSources,
        test: {
          name: "repository",
          root: inRoot("."),
          include: [`test/**/${testFiles}`],
          globalSetup: [inRoot("test/build-once.ts"), sharedPostgres],
          ...shared,
          testTimeout: fuzzing ? 0 : 120_000,
        },
      },
    ],
  },
});
