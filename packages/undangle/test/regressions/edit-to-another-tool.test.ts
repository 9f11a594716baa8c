import { createAgent, tool } from "#engine";
import type { ApprovalRule, Decision } from "#engine";
import { scriptedModel } from "#testing";
import { expect, test } from "vitest";

const input = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;

/** An agent whose model calls `note`, which needs an approval, and the tools that ran. */
function stage(rules: readonly ApprovalRule[]) {
  const ran: string[] = [];
  const tools = ["note", "wire", "look"].map((name) =>
    tool({
      name,
      description: name,
      input,
      approval: name === "note" ? true : name === "wire" ? { decisions: ["approve", "reject"] } : false,
      execute: ({ n }) => {
        ran.push(`${name} ${n}`);
        return "done";
      },
    }),
  );
  const model = scriptedModel([{ calls: [{ name: "note", arguments: { n: 1 } }] }, { text: "Done." }]);
  return { thread: createAgent({ model, tools, approvals: rules }).thread("t"), ran };
}

const edit = (name: string, args: Readonly<Record<string, unknown>>): Decision => ({
  type: "edit",
  name,
  arguments: args,
});

/** An edit that named another tool ran that tool, whatever its rule permitted, and one to an unknown tool consumed the call. */
test.each<readonly [string, readonly ApprovalRule[], Decision, RegExp]>([
  [
    "only reject",
    [{ tools: "wire", decisions: ["reject"] }],
    edit("wire", { n: 2 }),
    /"edit" is not allowed for wire/u,
  ],
  [
    "no edit",
    [{ tools: "wire", decisions: ["approve", "reject"] }],
    edit("wire", { n: 2 }),
    /allowed: approve, reject/u,
  ],
  ["no edit, by a pattern", [{ tools: "w*", decisions: ["respond"] }], edit("wire", { n: 2 }), /allowed: respond/u],
  ["no edit, by the tool itself", [], edit("wire", { n: 2 }), /"edit" is not allowed for wire/u],
  [
    "no edit for these arguments",
    [{ tools: "wire", decisions: ["reject"], when: ({ arguments: { n } }) => Number(n) > 100 }],
    edit("wire", { n: 500 }),
    /"edit" is not allowed for wire/u,
  ],
  [
    "a condition that throws",
    [
      {
        tools: "wire",
        decisions: ["reject"],
        when: () => {
          throw new Error("no");
        },
      },
    ],
    edit("wire", { n: 2 }),
    /"edit" is not allowed for wire/u,
  ],
  ["an unknown tool", [], edit("wrie", { n: 2 }), /there is no tool "wrie"; known: note, wire, look/u],
  ["an unknown tool without arguments that fit", [], edit("zzz", {}), /there is no tool "zzz"/u],
  ["arguments of the other tool that do not fit", [], edit("look", { n: "x" }), /do not fit look/u],
])("an edit to another tool is refused: %s", async (_, rules, decision, message) => {
  const { thread, ran } = stage(rules);
  await thread.send("Go.").result;
  const before = await thread.pending();
  const { error } = await thread.decide({ call_1: decision }).result;
  expect(error?.code).toBe("decision/refused");
  expect(error?.message).toMatch(message);
  expect(ran).toEqual([]);
  expect(await thread.pending()).toEqual(before);
  expect((await thread.decide({ call_1: { type: "approve" } }).result).status).toBe("done");
  expect(ran).toEqual(["note 1"]);
});

test.each<readonly [string, readonly ApprovalRule[], Decision, string]>([
  ["its rule permits edit", [{ tools: "wire" }], edit("wire", { n: 2 }), "wire 2"],
  ["its rule permits edit only", [{ tools: "wire", decisions: ["edit"] }], edit("wire", { n: 2 }), "wire 2"],
  ["it needs no approval", [], edit("look", { n: 3 }), "look 3"],
  ["a rule exempts it", [{ tools: "wire", required: false }], edit("wire", { n: 2 }), "wire 2"],
  [
    "it needs no approval for these arguments",
    [{ tools: "wire", decisions: ["reject"], when: async ({ arguments: { n } }) => Number(n) > 100 }],
    edit("wire", { n: 5 }),
    "wire 5",
  ],
])("an edit to another tool is taken: %s", async (_, rules, decision, expected) => {
  const { thread, ran } = stage(rules);
  await thread.send("Go.").result;
  expect((await thread.decide({ call_1: decision }).result).status).toBe("done");
  expect(ran).toEqual([expected]);
});

test("a refused edit takes no other decision of its request with it", async () => {
  const ran: string[] = [];
  const tools = ["note", "wire"].map((name) =>
    tool({ name, description: name, approval: true, execute: () => void ran.push(name) }),
  );
  const model = scriptedModel([{ calls: [{ name: "note" }, { name: "note" }] }, { text: "Done." }]);
  const approvals = [{ tools: "wire", decisions: ["reject"] as const }];
  const thread = createAgent({ model, tools, approvals }).thread("t");
  await thread.send("Go.").result;
  const { error } = await thread.decide({ call_1: { type: "approve" }, call_2: edit("wire", {}) }).result;
  expect(error?.code).toBe("decision/refused");
  expect((await thread.pending()).map(({ id }) => id)).toEqual(["call_1", "call_2"]);
  expect(ran).toEqual([]);
});
