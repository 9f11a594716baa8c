import { UndangleError } from "#core";
import { createAgent, tool } from "#engine";
import type { AgentOptions, ApprovalRule, EndRun, Middleware, RuledAgent } from "#engine";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

const done = { text: "Done." };
const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });
const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });

describe("the approval rules of a middleware as a function", () => {
  /** What the function gets. */
  function factsFor(options: Partial<AgentOptions>): readonly RuledAgent[] {
    const given: RuledAgent[] = [];
    const approvals = (agent: RuledAgent): readonly ApprovalRule[] => {
      given.push(agent);
      return [];
    };
    const own: Middleware = { name: "own", approvals };
    createAgent({ model: scriptedModel([done]), ...options, middleware: [own, ...(options.middleware ?? [])] });
    return given;
  }

  test.each<[string, Partial<AgentOptions>, boolean]>([
    ["an agent without rules", { tools: [look] }, false],
    ["a tool with an approval", { tools: [pay] }, true],
    ["a rule of the agent", { tools: [look], approvals: [{ tools: "look" }] }, true],
    [
      "a rule of another middleware",
      { tools: [look], middleware: [{ name: "m", approvals: [{ tools: "look" }] }] },
      true,
    ],
    ["a rule that denies", { tools: [look], approvals: [{ tools: "look", deny: true }] }, false],
    ["a rule that exempts", { tools: [look], approvals: [{ tools: "look", required: false }] }, false],
  ])("knows of %s", (_, options, hasApprovals) => {
    expect(factsFor(options)).toEqual([{ language: "en", hasApprovals }]);
    expect(factsFor({ ...options, language: "zh" })).toEqual([{ language: "zh", hasApprovals }]);
  });

  test("gives rules that apply", async () => {
    const own: Middleware = { name: "own", approvals: () => [{ tools: "look" }] };
    const model = scriptedModel([{ calls: [{ name: "look" }] }, done]);
    const end = await createAgent({ model, tools: [look], middleware: [own] })
      .thread("t")
      .send("Go.").result;
    expect(end.pending.map(({ name }) => name)).toEqual(["look"]);
  });

  test.each<[string, unknown]>([
    ["own.approvals", () => "look"],
    ["own.approvals[0].tool", () => [{ tool: "look" }]],
    ["middleware[0].approvals", "look"],
  ])("an error names %s", (option, approvals) => {
    const own: Middleware = { name: "own", approvals: approvals as Middleware["approvals"] };
    const make = (): unknown => createAgent({ model: scriptedModel([done]), tools: [look], middleware: [own] });
    expect(make).toThrow(option);
  });
});

describe("a hook that stops a run with an error", () => {
  const error = new UndangleError("run/loop", { tool: "look", times: 2 });

  test.each<[string, Middleware]>([
    ["beforeAgent", { name: "own", beforeAgent: () => ({ type: "end", error }) }],
    ["beforeModel", { name: "own", beforeModel: () => ({ type: "end", error }) }],
    ["afterModel", { name: "own", afterModel: () => ({ type: "end", error }) }],
  ])("%s: every call is settled, and the thread can continue", async (_, own) => {
    const model = scriptedModel([{ calls: [{ name: "look" }, { name: "pay" }] }, done]);
    const agent = createAgent({ model, tools: [look, pay], middleware: [own] });
    const end = await agent.thread("t").send("Go.").result;
    expect(end).toMatchObject({ status: "stopped", error, pending: [] });
    const others = createAgent({ model: scriptedModel([done]), tools: [look, pay], store: agent.store });
    const thread = others.thread("t");
    expect((await thread.calls()).every(({ status }) => status === "stopped")).toBe(true);
    expect(await thread.send("And now?").result).toMatchObject({ status: "done" });
  });

  test("another value as the error fails the run, with the name of the hook", async () => {
    const directive = { type: "end", error: "no" } as unknown as EndRun;
    const own: Middleware = { name: "own", afterModel: () => directive };
    const end = await createAgent({ model: scriptedModel([done]), middleware: [own] })
      .thread("t")
      .send("Go.").result;
    expect(end.error).toMatchObject({ code: "hook/failed", data: { middleware: "own", hook: "afterModel" } });
  });
});

test("hooks know why a run started", async () => {
  const reasons: string[] = [];
  const own: Middleware = { name: "own", beforeAgent: ({ reason }) => void reasons.push(reason) };
  const model = scriptedModel([{ calls: [{ name: "pay" }] }, done, done]);
  const thread = createAgent({ model, tools: [pay], middleware: [own] }).thread("t");
  await thread.send("Go.").result;
  await thread.approveAll().result;
  await thread.regenerate().result;
  expect(reasons).toEqual(["message", "decision", "regenerate"]);
});
