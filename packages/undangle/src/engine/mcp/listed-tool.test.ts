import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { toolNameOf } from "./listed-tool.ts";

describe("names of tools", () => {
  test("that every provider takes stay as they are", () => {
    expect(toolNameOf("files_read", "")).toBe("files_read");
    expect(toolNameOf("get-sum", "demo_")).toBe("demo_get-sum");
  });

  test.each([
    ["files.read", /^files_read_[0-9a-f]{8}$/u],
    ["3d", /^_3d_[0-9a-f]{8}$/u],
    ["", /^_{1,2}[0-9a-z_]*_[0-9a-f]{8}$/u],
    ["查询", /^___[0-9a-f]{8}$/u],
    ["x".repeat(90), /^x{55}_[0-9a-f]{8}$/u],
  ])("%j is changed, and marked by what it was", (name, given) => {
    expect(toolNameOf(name, "")).toMatch(given);
  });

  test("no two Chinese names are the same, whichever is asked for first", () => {
    const names = ["查询", "删除", "转账", "更新"];
    const given = names.map((name) => toolNameOf(name, "mcp_"));
    expect(new Set(given).size).toBe(names.length);
    expect([...names].reverse().map((name) => toolNameOf(name, "mcp_"))).toEqual(given.reverse());
  });

  test("a name that came to be legal is not taken from the tool that has it as its own", () => {
    expect(toolNameOf("files.read", "")).not.toBe(toolNameOf("files_read", ""));
  });

  test("all are legal, and no two are the same", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^(?:[a-z_]{0,40})$/u),
        fc.uniqueArray(fc.oneof(fc.string({ unit: "grapheme", maxLength: 90 }), fc.stringMatching(/^[ab._ ]{1,3}$/u))),
        (prefix, names) => {
          const given = names.map((name) => toolNameOf(name, prefix));
          expect(new Set(given).size).toBe(names.length);
          for (const each of given) expect(each).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/u);
        },
      ),
    );
  });
});
