import { describe, expect, test } from "vitest";

import { tool } from "./tool.ts";
import type { AnyTool } from "./tool.ts";
import { createToolbox } from "./toolbox.ts";

const named = (name: string, description = "") => tool({ name, description, execute: () => name });

/** A source that the test changes, in a toolbox with other tools. */
function stage(own: readonly AnyTool[], ...lists: (readonly AnyTool[])[]) {
  const warnings: unknown[] = [];
  const logger = { info: () => undefined, warn: (data: unknown) => void warnings.push(data), error: () => undefined };
  const sources = lists.map((_, i) => ({ tools: () => lists[i] ?? [] }));
  const entries = [...own, ...sources].map((given, i) => ({ place: `tools[${i}]`, given }));
  const box = createToolbox(entries, logger);
  return { box, lists, warnings, names: () => [...box.table().keys()] };
}

describe("the tools of an agent", () => {
  test("are one table, which is made once where nothing changes", () => {
    const { box } = stage([named("a")], [named("b")]);
    const fixed = stage([named("a"), named("b")]).box;
    expect(box.table()).toBe(box.table());
    expect(fixed.table()).toBe(fixed.table());
    expect(box.descriptions()).toEqual(fixed.descriptions());
    expect(box.descriptions()).toBe(box.descriptions());
  });

  test("follow their sources", () => {
    const { box, lists, names } = stage([named("a")], [named("b")]);
    lists[0] = [named("b", "other"), named("c")];
    expect(names()).toEqual(["a", "b", "c"]);
    expect(box.descriptions()[1]?.description).toBe("other");
    lists[0] = [];
    expect(names()).toEqual(["a"]);
  });

  test("refuse two of one name at the start, and leave out the newcomer later, with one warning", () => {
    expect(() => stage([named("a")], [named("a")])).toThrow(
      "Two tools are called a: tools[0] and tools[1].tools()[0].",
    );
    const { box, lists, warnings } = stage([], [named("a")], [named("b", "first")]);
    lists[0] = [named("a"), named("b", "newcomer")];
    expect(box.table().get("b")?.description).toBe("first");
    lists[0] = [named("a"), named("b", "newcomer")];
    expect(box.table().get("b")?.description).toBe("first");
    expect(warnings).toEqual([{ tool: "b", place: "tools[0].tools()[1]" }]);
    lists[1] = [];
    expect(box.table().get("b")).toBeUndefined(); // a call of the first tool may be pending
    lists[1] = [named("b", "first")];
    expect(box.table().get("b")?.description).toBe("first");
    expect(warnings).toHaveLength(1);
  });

  test("bear a source that fails, or gives what is no tool", () => {
    const { lists, warnings, names } = stage([named("a")], [named("b")]);
    expect(names()).toEqual(["a", "b"]);
    const halfATool: unknown = { name: "x" };
    lists[0] = [null as never, halfATool as never, named("c")]; // custom tools without types
    expect(names()).toEqual(["a", "c"]);
    expect(warnings).toHaveLength(1);
    Object.defineProperty(lists, 0, {
      get() {
        throw new Error("no");
      },
    });
    expect(names()).toEqual(["a", "c"]);
  });
});
