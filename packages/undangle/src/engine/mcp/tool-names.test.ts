import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { createToolNames } from "./tool-names.ts";

const namesOf = (prefix: string, ...names: readonly string[]) => Object.fromEntries(createToolNames(prefix)(names));

describe("names of tools", () => {
  test.each([
    ["files_read", "files_read"],
    ["files.read", "files_read"],
    ["3d", "_3d"],
    ["", "_"],
  ])("%j is called %s", (name, given) => {
    expect(namesOf("", name)).toEqual({ [name]: given });
  });

  test("those that can stay as they are do so, wherever they stand in the list", () => {
    const names = namesOf("", "files.read", "files_read");
    expect(names["files_read"]).toBe("files_read");
    expect(names["files.read"]).toMatch(/^files_read_[0-9a-f]{8}$/u);
  });

  test("a tool keeps its name when others come and go", () => {
    const name = createToolNames("");
    expect(name(["files.read"]).get("files.read")).toBe("files_read");
    const later = name(["files_read", "files.read"]);
    expect(later.get("files.read")).toBe("files_read");
    expect(later.get("files_read")).toMatch(/^files_read_[0-9a-f]{8}$/u);
  });

  test("all are legal, and no two are the same", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z_]{0,40}$/u),
        fc.uniqueArray(fc.oneof(fc.string({ unit: "grapheme", maxLength: 90 }), fc.stringMatching(/^[ab._ ]{1,3}$/u))),
        (prefix, names) => {
          const given = [...createToolNames(prefix)(names).values()];
          expect(given).toHaveLength(names.length);
          expect(new Set(given).size).toBe(names.length);
          for (const each of given) expect(each).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/u);
        },
      ),
    );
  });
});
