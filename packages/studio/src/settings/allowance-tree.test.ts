import type { ProjectAllowance } from "undangle/client";
import { expect, test } from "vitest";

import { allowanceTree } from "./allowance-tree.ts";

const allowance = (
  id: string,
  persona: string,
  tool: string,
  more: Partial<ProjectAllowance> = {},
): ProjectAllowance => ({
  id,
  persona,
  tool,
  scope: "thread",
  match: "tool",
  threadId: "t",
  callId: "c",
  at: 1,
  ...more,
});

test("allowances are ordered by agent, tool, and how much they cover", () => {
  const tree = allowanceTree([
    allowance("a", "helper", "pay", { match: "arguments" }),
    allowance("b", "clerk", "read"),
    allowance("c", "helper", "pay", { scope: "agent", match: "arguments" }),
    allowance("d", "helper", "delete"),
    allowance("e", "helper", "pay", { scope: "agent" }),
    allowance("f", "helper", "pay", { match: "arguments", at: 2 }),
  ]);
  expect(
    tree.map(({ agent, tools }) => [agent, tools.map((each) => [each.tool, each.allowances.map(({ id }) => id)])]),
  ).toEqual([
    ["clerk", [["read", ["b"]]]],
    [
      "helper",
      [
        ["delete", ["d"]],
        ["pay", ["e", "c", "f", "a"]],
      ],
    ],
  ]);
});

test("without allowances the tree is empty", () => {
  expect(allowanceTree([])).toEqual([]);
});
