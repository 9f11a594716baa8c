import { createAgent, tool } from "#engine";
import type { ApprovalRule, Middleware, ToolSource } from "#engine";
import { scriptedModel } from "#testing";
import { expect, test } from "vitest";

const named = (name: string) => tool({ name, description: name, execute: () => "done" });
const make = (approvals: readonly ApprovalRule[], more: object = {}) =>
  createAgent({ model: scriptedModel([]), tools: [named("pay"), named("look")], approvals, ...more });

/** A rule that named no tool was reported to the logger only, and the tool ran without an approval. */
test.each<readonly [string, readonly ApprovalRule[], RegExp]>([
  [
    "another case",
    [{ tools: "PAY" }],
    /approvals\[0\]\.tools names the tool "PAY".*Did you mean pay\? Known: pay, look/u,
  ],
  [
    "a letter too many",
    [{ tools: "*" }, { tools: "payy" }],
    /approvals\[1\]\.tools names the tool "payy".*mean pay\?/u,
  ],
  ["one of several", [{ tools: ["pay", "lok"] }], /"lok".*Did you mean look\?/u],
  ["nothing near", [{ tools: "transfer" }], /"transfer".*Known: pay, look\. Set optional: true/u],
  ["a rule that lifts the gate", [{ tools: "loook", required: false }], /"loook"/u],
  ["optional: false", [{ tools: "PAY", optional: false }], /"PAY"/u],
])("a rule that names a tool which the agent lacks is refused: %s", (_, approvals, message) => {
  expect(() => make(approvals)).toThrow(message);
  expect(() => make(approvals)).toThrow(expect.objectContaining({ code: "approval/unknown" }) as Error);
});

test("an agent without tools refuses a rule that names one", () => {
  expect(() => make([{ tools: "pay" }], { tools: [] })).toThrow(/Known: no tools/u);
});

const source: ToolSource = { tools: () => [] };
const bringing: Middleware = { name: "bringing", tools: [named("later")] };

test.each<readonly [string, readonly ApprovalRule[], object]>([
  ["a pattern", [{ tools: "delete_*" }], {}],
  ["an optional rule", [{ tools: "PAY", optional: true }], {}],
  ["a source of tools", [{ tools: "PAY" }], { tools: [source] }],
  ["a source of a middleware", [{ tools: "PAY" }], { middleware: [{ name: "m", tools: [source] }] }],
  ["a tool of a middleware", [{ tools: "later" }], { middleware: [bringing] }],
])("a rule that may match later, or elsewhere, is taken: %s", (_, approvals, more) => {
  expect(() => make(approvals, more)).not.toThrow();
});

test("optional is true or false", () => {
  const approvals = [{ tools: "pay", optional: "yes" }] as unknown as readonly ApprovalRule[];
  expect(() => make(approvals)).toThrow(/approvals\[0\]\.optional/u);
});
