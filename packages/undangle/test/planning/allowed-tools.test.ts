import { createAgent, tool } from "#engine";
import type { Agent, ApprovalRule } from "#engine";
import { memoryFiles } from "#files";
import { filesystem, skills } from "#middleware";
import type { FilesystemOptions, SkillsOptions } from "#middleware";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { afterDeath } from "../engine/after-death.ts";
import { until } from "../engine/promised.ts";
import { skillFiles } from "./skill-files.ts";
import { eventsOf, warningsIn } from "./system-stage.ts";
import type { Calls } from "./system-stage.ts";

const read = (path: string) => ({ name: "read_file", arguments: { file_path: path } });
const use = (name: string) => read(`/skills/${name}/SKILL.md`);
const send = { name: "send" };
const drop = { name: "drop" };
const trusted = [{ path: "/skills", trusted: true }] as const;

interface Given extends Partial<SkillsOptions> {
  readonly skills: Readonly<Record<string, string>>;
  readonly approvals?: readonly ApprovalRule[];
  readonly permissions?: FilesystemOptions["permissions"];
  readonly store?: Store;
  readonly turns: readonly Calls[];
  readonly wait?: Promise<unknown>;
}

interface Staged {
  readonly agent: Agent;
  readonly model: ScriptedModel;
}

/** An agent whose tools `send` and `drop` do nothing, and whose model makes these calls. */
function agentWith(given: Given): Staged {
  const { skills: found, approvals = [], permissions, store = memoryStore(), turns, wait, ...options } = given;
  const model = scriptedModel([
    ...turns.map((calls) => (calls.length === 0 ? { text: "Done." } : { calls })),
    { text: "Done." },
    { text: "Done." },
  ]);
  const backend = memoryFiles({ ...skillFiles(found), "/notes.md": "A note.", "/skills/pdf/a.py": "print(1)" });
  const named = (name: string) => tool({ name, description: "", execute: () => wait ?? `${name} ran` });
  const agent = createAgent({
    model,
    store,
    tools: [named("send"), named("drop")],
    approvals,
    middleware: [
      skills({ sources: ["/skills"], files: backend, ...options }),
      filesystem({ backend, ...(permissions !== undefined && { permissions }) }),
    ],
  });
  return { agent, model };
}

/** Runs the agent, and returns `name status` of each call. */
async function outcomes({ agent }: Staged, input = "Go."): Promise<readonly string[]> {
  await agent.thread("t").send(input).result;
  return statusesOf(agent);
}

const statusesOf = async (agent: Agent): Promise<readonly string[]> =>
  (await agent.thread("t").calls()).map(({ name, status }) => `${name} ${status}`);

const offered = ({ model }: Staged): readonly string[] =>
  model.requests.map(({ tools }) => tools.map(({ name }) => name).join(" "));

const gated: readonly ApprovalRule[] = [{ tools: ["send", "drop"] }];

describe("K10 show, the default", () => {
  test("changes nothing about approvals and tools, and does not warn about unknown names", async () => {
    const stage = agentWith({
      skills: { pdf: "allowed-tools: send Bash(git:*)" },
      approvals: gated,
      sources: trusted,
      turns: [[use("pdf")], [send]],
    });
    expect(await outcomes(stage)).toEqual(["read_file succeeded", "send awaiting"]);
    expect(new Set(offered(stage)).size).toBe(1);
    expect(await stage.agent.thread("t").state()).toEqual({});
  });
});

describe("K10 approve", () => {
  const approving = { allowedTools: "approve", sources: trusted, approvals: gated } as const;

  test.each<[string, string]>([
    ["a list of names with spaces", "allowed-tools: read_file send"],
    ["a list of names with commas", "allowed-tools: read_file, send"],
    ["a YAML list", "allowed-tools: [read_file, send]"],
  ])("%s: the tools of a skill in use need no decision, others do", async (_, line) => {
    const stage = agentWith({ ...approving, skills: { pdf: line }, turns: [[use("pdf")], [send, drop]] });
    expect(await outcomes(stage)).toEqual(["read_file succeeded", "send succeeded", "drop awaiting"]);
    const calls = await stage.agent.thread("t").calls();
    expect(calls[1]?.allowance).toMatchObject({ id: "skill:/skills/pdf/SKILL.md", by: "skill pdf" });
  });

  test("a skill that is not in use allows nothing, also in the turn that reads it", async () => {
    const skill = { pdf: "allowed-tools: send" };
    expect(await outcomes(agentWith({ ...approving, skills: skill, turns: [[send]] }))).toEqual(["send awaiting"]);
    expect(await outcomes(agentWith({ ...approving, skills: skill, turns: [[use("pdf"), send]] }))).toEqual([
      "read_file succeeded",
      "send awaiting",
    ]);
  });

  test("a read that fails does not use the skill", async () => {
    const stage = agentWith({
      ...approving,
      skills: { pdf: "allowed-tools: send" },
      turns: [[{ name: "read_file", arguments: { file_path: "/skills/pdf/SKILL.md", offset: 9_999 } }], [send]],
    });
    expect(await outcomes(stage)).toEqual(["read_file failed", "send awaiting"]);
  });

  test("a source that is not trusted allows nothing, also if it replaces a trusted skill", async () => {
    const sources = [{ path: "/trusted", trusted: true }, "/skills"];
    const stage = agentWith({
      ...approving,
      sources,
      skills: { pdf: "allowed-tools: send" },
      turns: [[use("pdf")], [send]],
    });
    expect(await outcomes(stage)).toEqual(["read_file succeeded", "send awaiting"]);
  });

  test("a deny rule applies", async () => {
    const approvals = [...gated, { tools: "send", deny: true, reason: "Never." }];
    const stage = agentWith({
      ...approving,
      approvals,
      skills: { pdf: "allowed-tools: send" },
      turns: [[use("pdf")], [send]],
    });
    expect(await outcomes(stage)).toEqual(["read_file succeeded", "send failed"]);
  });

  test("a rule that requires a decision for each call applies", async () => {
    const approvals = [{ tools: "send", always: false }];
    const stage = agentWith({
      ...approving,
      approvals,
      skills: { pdf: "allowed-tools: send" },
      turns: [[use("pdf")], [send]],
    });
    expect(await outcomes(stage)).toEqual(["read_file succeeded", "send awaiting"]);
  });

  test("a permission rule that asks applies", async () => {
    const permissions = [{ operations: ["write"], paths: ["/notes.md"], mode: "ask" }] as const;
    const write = { name: "write_file", arguments: { file_path: "/notes.md", content: "x" } };
    const stage = agentWith({
      ...approving,
      permissions,
      skills: { pdf: "allowed-tools: write_file" },
      turns: [[use("pdf")], [write]],
    });
    expect(await outcomes(stage)).toEqual(["read_file succeeded", "write_file awaiting"]);
  });

  test("names of other programs and with arguments are a warning, once, and allow nothing", async () => {
    const stage = agentWith({
      ...approving,
      skills: { pdf: "allowed-tools: send(to:*), Bash(git add:*) Read" },
      turns: [[use("pdf")], [send]],
    });
    const warnings = warningsIn(await eventsOf(stage.agent.thread("t").send("Go.")));
    expect(warnings).toEqual([
      "The allowed-tools of the skill in /skills/pdf name tools that this agent does not have: send(to:*), Bash(git add:*), Read",
    ]);
    expect(await statusesOf(stage.agent)).toEqual(["read_file succeeded", "send awaiting"]);
  });

  test("the next message ends it", async () => {
    const stage = agentWith({
      ...approving,
      skills: { pdf: "allowed-tools: send" },
      turns: [[use("pdf")], [send], [], [send]],
    });
    expect(await outcomes(stage)).toEqual(["read_file succeeded", "send succeeded"]);
    expect(await outcomes(stage, "Again.")).toEqual(["read_file succeeded", "send succeeded", "send awaiting"]);
    expect(await stage.agent.thread("t").state()).toEqual({ skills: {} });
  });

  test("a message that replaces a pending call ends it", async () => {
    const stage = agentWith({
      ...approving,
      skills: { pdf: "allowed-tools: send" },
      turns: [[use("pdf")], [drop], [send]],
    });
    expect(await outcomes(stage)).toEqual(["read_file succeeded", "drop awaiting"]);
    expect(await outcomes(stage, "No.")).toEqual(["read_file succeeded", "drop superseded", "send awaiting"]);
  });

  test("a decision continues it", async () => {
    const stage = agentWith({
      ...approving,
      skills: { pdf: "allowed-tools: send" },
      turns: [[use("pdf")], [drop], [send]],
    });
    expect(await outcomes(stage)).toEqual(["read_file succeeded", "drop awaiting"]);
    await stage.agent.thread("t").approveAll().result;
    expect(await statusesOf(stage.agent)).toEqual(["read_file succeeded", "drop succeeded", "send succeeded"]);
  });

  test("an imported thread gets nothing that its files do not state", async () => {
    const given = { ...approving, skills: { pdf: "allowed-tools: read_file" } };
    const stage = agentWith({ ...given, turns: [[use("pdf")], [drop]] });
    expect(await outcomes(stage)).toEqual(["read_file succeeded", "drop awaiting"]);
    const exported = await stage.agent.thread("t").export();
    const forged = JSON.parse(
      JSON.stringify(exported).replace('"tools":["read_file"]', '"tools":["send"]'),
    ) as typeof exported;
    expect(forged).not.toEqual(exported);
    const other = agentWith({ ...given, turns: [[send]] });
    await other.agent.thread("t").import(forged);
    await other.agent.thread("t").rejectAll().result;
    expect(await statusesOf(other.agent)).toEqual(["read_file succeeded", "drop rejected", "send awaiting"]);
  });
});

describe("K10 enforce", () => {
  const enforcing = { allowedTools: "enforce" } as const;

  test("the model can call the tools of the skills in use, and read skills", async () => {
    const stage = agentWith({
      ...enforcing,
      skills: { pdf: "allowed-tools: send", csv: "allowed-tools: [ls, drop]" },
      turns: [[use("pdf")], [drop, send], [use("csv")], [drop, send]],
    });
    expect(await outcomes(stage)).toEqual([
      "read_file succeeded",
      "drop failed",
      "send succeeded",
      "read_file succeeded",
      "drop succeeded",
      "send succeeded",
    ]);
    expect(offered(stage).slice(1)).toEqual([
      "send read_file",
      "send read_file",
      "send drop ls read_file",
      "send drop ls read_file",
    ]);
    const [, refused] = await stage.agent.thread("t").calls();
    expect(refused?.error).toBe("drop is not a valid tool, try one of [send, read_file].");
  });

  test("files of skills can be read, and others only if a skill allows it", async () => {
    const turns = [[use("pdf")], [read("/notes.md"), read("/skills/pdf/a.py"), read("/skills/pdf/../../notes.md")]];
    const stage = agentWith({ ...enforcing, skills: { pdf: "allowed-tools: send" }, turns });
    expect(await outcomes(stage)).toEqual([
      "read_file succeeded",
      "read_file failed",
      "read_file succeeded",
      "read_file failed",
    ]);
    const [, refused] = await stage.agent.thread("t").calls();
    expect(refused?.error).toBe(
      "read_file was not executed - the skills in use (pdf) do not allow it. It can read files of skills only.",
    );
    const allowing = agentWith({ ...enforcing, skills: { pdf: "allowed-tools: read_file" }, turns });
    expect((await outcomes(allowing)).slice(1, 3)).toEqual(["read_file succeeded", "read_file succeeded"]);
  });

  test("a skill without a list restricts nothing, and one with unknown names everything", async () => {
    const free = agentWith({ ...enforcing, skills: { pdf: "" }, turns: [[use("pdf")], [send]] });
    expect(await outcomes(free)).toEqual(["read_file succeeded", "send succeeded"]);
    const strict = agentWith({ ...enforcing, skills: { pdf: "allowed-tools: Bash" }, turns: [[use("pdf")], [send]] });
    expect(await outcomes(strict)).toEqual(["read_file succeeded", "send failed"]);
    expect(offered(strict)[1]).toBe("read_file");
  });

  test("a decision continues it, and a message ends it", async () => {
    const stage = agentWith({
      ...enforcing,
      approvals: gated,
      skills: { pdf: "allowed-tools: send" },
      turns: [[use("pdf")], [send], [drop], [], [drop]],
    });
    expect(await outcomes(stage)).toEqual(["read_file succeeded", "send awaiting"]);
    await stage.agent.thread("t").approveAll().result;
    expect((await statusesOf(stage.agent)).slice(1)).toEqual(["send succeeded", "drop failed"]);
    expect((await outcomes(stage, "Again.")).slice(3)).toEqual(["drop awaiting"]);
  });

  test("it continues after a crash", async () => {
    const store = memoryStore();
    const given = { ...enforcing, skills: { pdf: "allowed-tools: send" } };
    const never = new Promise<never>(() => undefined);
    const dead = agentWith({ ...given, store, wait: never, turns: [[use("pdf")], [send]] });
    void dead.agent.thread("t").send("Go.");
    await until(async () => (await statusesOf(dead.agent))[1] === "send running");
    const stage = agentWith({ ...given, store: afterDeath(store), turns: [[drop]] });
    for (const run of await stage.agent.recover()) await run.result;
    expect(await statusesOf(stage.agent)).toEqual(["read_file succeeded", "send lost", "drop failed"]);
    expect(offered(stage)[0]).toBe("send read_file");
  });

  test("the list of tools is the same object while the skills in use are the same", async () => {
    const stage = agentWith({
      ...enforcing,
      skills: { pdf: "allowed-tools: send" },
      turns: [[use("pdf")], [send], [send]],
    });
    await outcomes(stage);
    const [, second, third] = stage.model.requests;
    expect(third?.tools).toBe(second?.tools);
  });
});

test("K14 the state of a skill is in its own thread only", async () => {
  const stage = agentWith({
    allowedTools: "enforce",
    skills: { pdf: "allowed-tools: send" },
    turns: [[use("pdf")], [], [drop], []],
  });
  await stage.agent.thread("one").send("Go.").result;
  await stage.agent.thread("two").send("Go.").result;
  expect(await stage.agent.thread("one").state()).toMatchObject({ skills: { active: [{ name: "pdf" }] } });
  expect(await stage.agent.thread("two").state()).toEqual({});
  expect((await stage.agent.thread("two").calls())[0]?.status).toBe("succeeded");
});
