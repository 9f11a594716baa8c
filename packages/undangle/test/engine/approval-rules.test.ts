import { createAgent, tool } from "#engine";
import type { ApprovalRule, GatedCall, ToolApproval } from "#engine";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { createApprovalStage, names } from "./approval-stage.ts";
import type { ApprovalStageOptions } from "./approval-stage.ts";

/** The names of the calls that wait after the first turn. */
async function gated(options: ApprovalStageOptions): Promise<readonly string[]> {
  const { agent } = createApprovalStage({ calls: names, ...options });
  const { pending } = await agent.thread("t").send("Go.").result;
  return pending.map(({ name }) => name);
}

describe("rules", () => {
  test.each<[string, ApprovalStageOptions, readonly string[]]>([
    ["without any, nothing waits", {}, []],
    ["a name", { approvals: [{ tools: "pay" }] }, ["pay"]],
    ["several names", { approvals: [{ tools: ["pay", "look"] }] }, ["pay", "look"]],
    ["a wildcard at the end", { approvals: [{ tools: "delete_*" }] }, ["delete_file", "delete_all"]],
    ["a wildcard in front", { approvals: [{ tools: "*_all" }] }, ["delete_all"]],
    ["a wildcard in the middle", { approvals: [{ tools: "d*e" }] }, ["delete_file"]],
    ["a wildcard alone", { approvals: [{ tools: "*" }] }, names],
    [
      "a name is no pattern of another kind",
      { approvals: ["p.y", "pa", "look|pay"].map((tools) => ({ tools, optional: true })) },
      [],
    ],
    ["the first that fits holds", { approvals: [{ tools: "pay", required: false }, { tools: "*" }] }, names.slice(1)],
    ["a later one does not take back", { approvals: [{ tools: "*" }, { tools: "pay", required: false }] }, names],
    ["a tool's own approval", { own: { look: true, pay: false } }, ["look"]],
    [
      "a rule goes before what the tool says",
      { approvals: [{ tools: "look", required: false }], own: { look: true } },
      [],
    ],
    ["a tool that says no is gated by a rule", { approvals: [{ tools: "pay" }], own: { pay: false } }, ["pay"]],
    [
      "a tool's own predicate",
      { own: { pay: { when: ({ arguments: { n } }) => n === 0 }, look: { when: () => false } } },
      ["pay"],
    ],
    ["a predicate that says no lets it run", { approvals: [{ tools: "*", when: () => false }] }, []],
    ["a predicate that promises", { approvals: [{ tools: "*", when: async ({ name }) => name === "pay" }] }, ["pay"]],
    [
      "the first that fits by name holds, whatever its predicate says",
      { approvals: [{ tools: "pay", when: () => false }, { tools: "pay" }] },
      [],
    ],
  ])("%s", async (_, options, waiting) => {
    expect(await gated(options)).toEqual(waiting);
  });

  test("a predicate that throws, or gives no answer, asks a person, and says so in the log", async () => {
    const warned: string[] = [];
    const logger = {
      info: () => undefined,
      warn: (_: object, line: string) => void warned.push(line),
      error: () => undefined,
    };
    const asked: GatedCall[] = [];
    const when = (call: GatedCall): boolean => {
      asked.push(call);
      if (call.name === "pay") throw new Error("no idea");
      return undefined as unknown as boolean; // of a caller without types
    };
    const agent = createAgent({
      model: scriptedModel([{ calls: [{ name: "pay" }, { name: "look" }] }]),
      tools: ["pay", "look"].map((name) => tool({ name, description: "Does it.", execute: () => "ran" })),
      approvals: [{ tools: "*", when }],
      logger,
    });
    const { pending } = await agent.thread("t").send("Go.").result;
    expect(pending.map(({ name }) => name)).toEqual(["pay", "look"]);
    expect(warned.filter((line) => /waits for a decision/u.test(line)).length).toBe(1);
    expect(asked[0]).toEqual({ id: "call_1", name: "pay", arguments: {}, threadId: "t" });
  });

  test.each<[string, unknown, RegExp]>([
    [
      "a decision that is misspelt",
      [{ tools: "pay", decisions: ["aprove"] }],
      /aprove.*approvals\[0\]\.decisions.*approve, reject, edit, respond/u,
    ],
    ["no decision at all", [{ tools: "pay", decisions: [] }], /decisions/u],
    ["an option that is misspelt", [{ tool: "pay" }], /approvals\[0\]\.(tool|tools)/u],
    ["no tools", [{ decisions: ["approve"] }], /approvals\[0\]\.tools/u],
    ["an empty list of tools", [{ tools: [] }], /approvals\[0\]\.tools/u],
    ["a predicate that is none", [{ tools: "pay", when: true }], /approvals\[0\]\.when/u],
    ["a time that is none", [{ tools: "pay", expiresAfter: "1h" }], /approvals\[0\]\.expiresAfter/u],
    ["no time", [{ tools: "pay", expiresAfter: 0 }], /approvals\[0\]\.expiresAfter/u],
    ["something that is no rule", ["pay"], /approvals\[0\]/u],
    ["something that is no list", { tools: "pay" }, /approvals/u],
    ["required that is neither true nor false", [{ tools: "pay", required: "no" }], /approvals\[0\]\.required/u],
  ])("%s is refused when the agent is made", (_, approvals, message) => {
    const make = (): unknown => createAgent({ model: scriptedModel([]), approvals: approvals as ApprovalRule[] });
    expect(make).toThrow(message);
  });

  test("a tool's own approval that is misspelt is refused when the tool is made", () => {
    const approval = { decisions: ["yes"] } as unknown as ToolApproval;
    expect(() => tool({ name: "pay", description: "Pays.", approval, execute: () => 1 })).toThrow(
      /yes.*pay\.approval\.decisions/u,
    );
  });

  test("only the decisions that a rule allows are taken", async () => {
    const stage = createApprovalStage({
      calls: ["pay"],
      approvals: [{ tools: "pay", decisions: ["approve", "reject"] }],
    });
    const thread = stage.agent.thread("t");
    const { pending } = await thread.send("Go.").result;
    expect(pending[0]?.decisions).toEqual(["approve", "reject"]);
    for (const decision of [
      { type: "edit", arguments: { n: 1 } },
      { type: "respond", result: "ok" },
    ] as const) {
      const { error } = await thread.decide({ call_1: decision }).result;
      expect(error?.message).toContain(`"${decision.type}" is not allowed for pay; allowed: approve, reject`);
    }
    expect((await thread.decide({ call_1: { type: "approve" } }).result).status).toBe("done");
    expect(stage.ran).toEqual(["pay 0"]);
  });
});
