import type { FileBackend } from "#files";

import { contentCases } from "./files-cases/content-cases.ts";
import type { FilesCases } from "./files-cases/files-case.ts";
import { searchCases } from "./files-cases/search-cases.ts";

/** One requirement for a file backend, as a test. */
export interface FilesCase {
  /** The requirement as a sentence. */
  readonly name: string;
  /** Rejects with the expected and the actual value. */
  readonly run: () => Promise<void>;
}

export interface TestFilesOptions {
  /** Called after each test. */
  readonly close?: ((files: FileBackend) => void | Promise<void>) | undefined;
}

/**
 * All requirements for a file backend that can write and delete, as tests for any runner:
 * `for (const { name, run } of testFiles(open)) test(name, run)`. `open` is called for each test and returns a backend
 * without files.
 */
export function testFiles(
  open: () => FileBackend | Promise<FileBackend>,
  { close }: TestFilesOptions = {},
): readonly FilesCase[] {
  return Object.entries(cases).map(([name, check]) => ({
    name,
    run: async () => {
      const files = await open();
      try {
        await check(files);
      } finally {
        await close?.(files);
      }
    },
  }));
}

const cases: FilesCases = { ...contentCases, ...searchCases };
