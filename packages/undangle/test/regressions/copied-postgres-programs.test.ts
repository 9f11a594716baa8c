import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { missingPrograms, preparePrograms } from "../postgres/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "undangle-programs-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.skipIf(missingPrograms() !== undefined)("a copy of the Postgres programs does not need the checkout", () => {
  preparePrograms({ copyTo: folder });
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const links = entries.filter((entry) => entry.isSymbolicLink()).map(({ parentPath, name }) => join(parentPath, name));
  expect(links.map((link) => readlinkSync(link)).filter((target) => isAbsolute(target))).toEqual([]);
});
