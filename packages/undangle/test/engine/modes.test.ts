import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createAgent, mcpTools, narrowMode, runModes, tool } from "#engine";
import type {
  Agent,
  AgentEvent,
  AgentOptions,
  ApprovalRule,
  McpOptions,
  Middleware,
  Run,
  RunMode,
  ToolAnnotations,
} from "#engine";
import { memoryFiles } from "#files";
import { filesystem } from "#middleware";
import { openai } from "#model";
import { memoryStore } from "#store";
import { scriptedModel, wireServer } from "#testing";
import { afterEach, describe, expect, test } from "vitest";

import { sqliteStore } from "../../src/store/sqlite.ts";
import { afterDeath } from "./after-death.ts";
import { until } from "./promised.ts";
import { statesOf } from "./recorded.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function databasePath(): string {
  const folder = mkdtempSync(join(tmpdir(), "modes-"));
  folders.push(folder);
  return join(folder, "agent.db");
}

const done = { text: "Done." };
const turn = (...names: readonly string[]) => ({ calls: names.map((name) => ({ name, arguments: {} })) });

/** Tools of every kind, which record that they ran. */
function kinds(ran: string[] = [], approval = false) {
  const make = (name: string, annotations?: ToolAnnotations) =>
    tool({ name, description: name, annotations, approval, execute: () => void ran.push(name) });
  return [
    make("read", { readOnly: true }),
    make("edit", { edits: true }),
    make("destroy", { destructive: true }),
    make("overwrite", { edits: true, destructive: true }),
    make("liar", { readOnly: true, destructive: true }),
    make("plain"),
  ];
}

const everyTool = kinds().map(({ name }) => name);

interface StageOptions extends Partial<AgentOptions> {
  /** The names of the tools that the model calls in each turn. */
  readonly turns: readonly (readonly string[])[];
  readonly needApproval?: boolean;
}

function stage({ turns, needApproval = false, ...options }: StageOptions) {
  const ran: string[] = [];
  const model = scriptedModel([...turns.map((names) => turn(...names)), done, done]);
  const agent: Agent = createAgent({ model, tools: kinds(ran, needApproval), ...options });
  return { agent, model, ran, thread: agent.thread("t") };
}

const offered = (request: { readonly tools: readonly { readonly name: string }[] } | undefined): readonly string[] =>
  request?.tools.map(({ name }) => name) ?? [];

async function startOf(run: Run): Promise<Extract<AgentEvent, { type: "run_start" }>["data"]> {
  for await (const event of run) if (event.type === "run_start") return event.data;
  throw new Error("The run did not start.");
}

describe.each(["plan", "read-only"] as const)("MO1: %s", (mode) => {
  test("offers only tools that read, and the model knows why", async () => {
    const { thread, model, ran } = stage({ turns: [["read"]], instructions: "Be brief." });
    const end = await thread.send("Go.", { mode }).result;
    expect(end).toMatchObject({ status: "done", text: "Done." });
    expect(ran).toEqual(["read"]);
    expect(model.requests.map(offered)).toEqual([["read"], ["read"]]);
    const system = model.requests.map((request) => request.system.map(({ text }) => text));
    expect(system[0]?.[0]).toBe("Be brief.");
    expect(system[0]?.[1]).toContain("Only tools that read are available");
    expect(system[1]).toEqual(system[0]); // the same in every step, for the cache of the provider
    expect(model.requests[1]?.tools).toBe(model.requests[0]?.tools);
  });

  test("a call of another tool fails without starting, in the language of the agent", async () => {
    const { thread, ran } = stage({ turns: [everyTool], needApproval: false });
    await thread.send("Go.", { mode }).result;
    expect(ran).toEqual(["read"]);
    const failed = (await thread.calls()).filter(({ status }) => status === "failed");
    expect(failed.map(({ name }) => name)).toEqual(everyTool.filter((name) => name !== "read"));
    expect(failed[0]?.error).toBe(
      `edit was not executed - the mode of this run (${mode}) only permits reading. Available tools: [read].`,
    );
    const chinese = stage({ turns: [["edit"]], language: "zh" });
    await chinese.thread.send("Go.", { mode }).result;
    expect((await chinese.thread.calls())[0]?.error).toBe(
      `edit 未被执行——当前模式（${mode}）只允许读取，可用的工具：[read]。`,
    );
  });

  test("a gated tool that writes is not asked about, and a gated tool that reads waits as its rule says", async () => {
    const { thread, ran } = stage({ turns: [["read", "edit"]], needApproval: true });
    const { pending } = await thread.send("Go.", { mode }).result;
    expect(pending.map(({ name }) => name)).toEqual(["read"]);
    await thread.approveAll().result;
    expect(ran).toEqual(["read"]);
  });

  test("a hook cannot hand a call on to another tool, not even to one of its own", async () => {
    const ran: string[] = [];
    const own = tool({ name: "own", description: "Own.", execute: () => void ran.push("own") });
    const tools = kinds(ran);
    const [, edit] = tools;
    if (edit === undefined) throw new Error("There is no tool to hand on to.");
    for (const other of [edit, own]) {
      const swap: Middleware = { name: "swap", wrapToolCall: (next) => (call) => next({ ...call, tool: other }) };
      const model = scriptedModel([turn("read"), done]);
      const thread = createAgent({ model, tools, middleware: [swap], mode }).thread("t");
      await thread.send("Go.").result;
      expect((await thread.calls())[0]?.error).toContain("only permits reading");
    }
    expect(ran).toEqual([]);
  });

  test("a hook that offers a tool again does not let it run", async () => {
    const { tools } = createOffer();
    const offer: Middleware = { name: "offer", beforeModel: (request) => ({ ...request, tools }) };
    const { thread, ran } = stage({ turns: [["edit"]], middleware: [offer] });
    await thread.send("Go.", { mode }).result;
    expect(ran).toEqual([]);
  });

  test("a person cannot make a call into one of a tool that is not offered", async () => {
    const { thread, ran } = stage({ turns: [["read"]], needApproval: true });
    const { pending } = await thread.send("Go.", { mode }).result;
    const edited = { type: "edit" as const, name: "edit", arguments: {} };
    const refused = await thread.decide({ [pending[0]?.id ?? ""]: edited }).result;
    expect(refused.error).toMatchObject({ code: "decision/refused" });
    expect(ran).toEqual([]);
  });

  test("the final answer of an agent with an output stays possible", async () => {
    const model = scriptedModel([{ calls: [{ name: "final_answer", arguments: { steps: 2 } }] }]);
    const output = { type: "object", properties: { steps: { type: "number" } }, required: ["steps"] } as const;
    const agent = createAgent({ model, tools: kinds(), output, mode });
    expect(await agent.thread("t").send("Go.").result).toMatchObject({ status: "done", output: { steps: 2 } });
    expect(offered(model.requests[0])).toEqual(["read", "final_answer"]);
  });

  test("of the file tools those that read are offered", async () => {
    const model = scriptedModel([done]);
    const files = filesystem({ backend: memoryFiles({ "/a.txt": "a" }) });
    await createAgent({ model, middleware: [files], mode })
      .thread("t")
      .send("Go.").result;
    expect(offered(model.requests[0])).toEqual(["ls", "read_file", "glob", "grep"]);
  });

  test("strict providers accept every request of the run", async () => {
    const calls = [
      { name: "edit", arguments: {} },
      { name: "read", arguments: {} },
    ];
    const server = await wireServer({ turns: [{ calls }, { text: "A plan." }] });
    const model = openai("gpt-5.1", { baseURL: server.baseUrl("openai-responses"), apiKey: "none" });
    const end = await createAgent({ model, tools: kinds(), mode }).thread("t").send("Go.").result;
    await server.close();
    expect(end).toMatchObject({ status: "done", text: "A plan." });
  });
});

const createOffer = () => ({
  tools: everyTool.map((name) => ({ name, description: name, schema: { type: "object" as const } })),
});

describe("MO2: accept-edits", () => {
  test("edits run, and everything else waits as its rules say", async () => {
    const { thread, ran } = stage({ turns: [everyTool], needApproval: true });
    const { pending } = await thread.send("Go.", { mode: "accept-edits" }).result;
    expect(ran).toEqual(["edit"]);
    expect(pending.map(({ name }) => name)).toEqual(everyTool.filter((name) => name !== "edit"));
  });

  test("edit_file under an `ask` rule runs, and delete waits", async () => {
    const files = memoryFiles({ "/a.txt": "old", "/b.txt": "b" });
    const permissions = [{ operations: ["write" as const], paths: ["/**"], mode: "ask" as const }];
    const edit = { name: "edit_file", arguments: { file_path: "/a.txt", old_string: "old", new_string: "new" } };
    const read = { name: "read_file", arguments: { file_path: "/a.txt" } };
    const model = scriptedModel([
      { calls: [read] },
      { calls: [edit, { name: "delete", arguments: { file_path: "/b.txt" } }] },
      done,
    ]);
    const agent = createAgent({ model, middleware: [filesystem({ backend: files, permissions })] });
    const end = await agent.thread("t").send("Go.", { mode: "accept-edits" }).result;
    expect(end.pending.map(({ name }) => name)).toEqual(["delete"]);
    expect(new TextDecoder().decode(await files.read("/a.txt"))).toBe("new");
  });

  test.each<[string, readonly ApprovalRule[], boolean]>([
    ["a plain rule", [{ tools: "edit" }], true],
    ["a rule with a condition", [{ tools: "edit", when: () => true }], true],
    ["a rule that requires a decision in every mode", [{ tools: "edit", required: true }], false],
    ["a rule without allowances", [{ tools: "edit", always: false }], true],
    ["a rule without approvals", [{ tools: "edit", decisions: ["reject", "respond"] }], false],
    ["a rule that exempts the tool", [{ tools: "edit", required: false }], true],
  ])("%s: edits run: %#", async (_, approvals, runs) => {
    const { thread, ran } = stage({ turns: [["edit"]], approvals });
    const { status } = await thread.send("Go.", { mode: "accept-edits" }).result;
    expect(ran).toEqual(runs ? ["edit"] : []);
    expect(status).toBe(runs ? "done" : "waiting");
  });

  test("a rule of the agent that requires a decision is found after a relaxed one of a middleware", async () => {
    const early: Middleware = { name: "early", approvals: [{ tools: "edit" }] };
    const { thread, ran } = stage({
      turns: [["edit"]],
      middleware: [early],
      approvals: [{ tools: "edit", required: true }],
    });
    expect(await thread.send("Go.", { mode: "accept-edits" }).result).toMatchObject({ status: "waiting" });
    expect(ran).toEqual([]);
  });

  test("a tool that permits no approval waits for another decision", async () => {
    const ran: string[] = [];
    const approval = { decisions: ["reject", "respond"] as const };
    const edit = tool({
      name: "edit",
      description: "Edits.",
      annotations: { edits: true },
      approval,
      execute: () => void ran.push("edit"),
    });
    const { thread } = stage({ turns: [["edit"]], tools: [edit] });
    expect(await thread.send("Go.", { mode: "accept-edits" }).result).toMatchObject({ status: "waiting" });
    expect(ran).toEqual([]);
  });
});

describe("tools of an MCP server", () => {
  const client = {
    listTools: async () => ({
      tools: [
        { name: "find", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
        { name: "drop", inputSchema: { type: "object" }, annotations: { destructiveHint: true } },
        { name: "save", inputSchema: { type: "object" }, annotations: { destructiveHint: false } },
        { name: "other", inputSchema: { type: "object" } },
      ],
    }),
    callTool: async () => ({ content: [] }),
  };

  test.each<[McpOptions["annotations"], readonly string[]]>([
    [undefined, []],
    ["hints", ["find"]],
    [{ other: { readOnly: true } }, ["other"]],
  ])("with annotations %j, a plan offers %j", async (annotations, names) => {
    const model = scriptedModel([done]);
    const tools = [await mcpTools(client, { annotations })];
    await createAgent({ model, tools, mode: "plan" }).thread("t").send("Go.").result;
    expect(offered(model.requests[0])).toEqual(names);
  });

  test("edits are accepted only as the options say, and never against a hint that a tool is destructive", async () => {
    const model = scriptedModel([turn("save", "drop", "other"), done]);
    const annotations = { save: { edits: true }, other: {} };
    const tools = [await mcpTools(client, { annotations, approval: true })];
    const agent = createAgent({ model, tools, mode: "accept-edits" });
    const { pending } = await agent.thread("t").send("Go.").result;
    expect(pending.map(({ name }) => name)).toEqual(["drop", "other"]);
    expect(pending[0]?.annotations).toEqual({ destructive: true });
  });

  test("annotations of a tool that the server does not have are refused", async () => {
    await expect(mcpTools(client, { annotations: { finds: { readOnly: true } } })).rejects.toThrow(/annotations/u);
  });
});

test.each(runModes)("MO3: a deny rule wins in %s", async (mode) => {
  const { thread, ran } = stage({ turns: [["read", "edit"]], approvals: [{ tools: "*", deny: true }] });
  await thread.send("Go.", { mode }).result;
  expect(ran).toEqual([]);
  expect((await thread.calls()).map(({ status }) => status)).toEqual(["failed", "failed"]);
});

describe("MO4: the mode of a run", () => {
  test.each(runModes)("is in run_start: %s", async (mode) => {
    const { thread } = stage({ turns: [] });
    expect(await startOf(thread.send("Go.", { mode }))).toMatchObject({ reason: "message", mode });
  });

  test("is by default that of the agent, and `ask` without one", async () => {
    expect(await startOf(stage({ turns: [] }).thread.send("Go."))).toMatchObject({ mode: "ask" });
    const planner = stage({ turns: [], mode: "plan" });
    expect(await startOf(planner.thread.send("Go."))).toMatchObject({ mode: "plan" });
    expect(await startOf(planner.thread.send("Do it.", { mode: "accept-edits" }))).toMatchObject({
      mode: "accept-edits",
    });
    expect(await startOf(stage({ turns: [] }).thread.begin({ input: "Go.", mode: "plan" }))).toMatchObject({
      mode: "plan",
    });
  });

  test("of one message is not that of the next one", async () => {
    const { thread } = stage({ turns: [] });
    await thread.send("Go.", { mode: "plan" }).result;
    expect(await startOf(thread.send("And now?"))).toMatchObject({ mode: "ask" });
  });

  test("read-only stays the mode of the thread, of its forks, and after a restart, until a message has another", async () => {
    const path = databasePath();
    const before = sqliteStore(path);
    const first = stage({ turns: [], store: before });
    await first.thread.send("Go.", { mode: "read-only" }).result;
    const forked = await first.thread.fork();
    await first.agent.close();
    await before.close();
    const store = sqliteStore(path);
    const { thread, agent } = stage({ turns: [], store });
    expect(await startOf(thread.send("And now?"))).toMatchObject({ mode: "read-only" });
    expect(await startOf(agent.thread(forked.id).send("And here?"))).toMatchObject({ mode: "read-only" });
    const next = stage({ turns: [], store });
    await next.thread.send("Change it.", { mode: "ask" }).result;
    expect(await startOf(next.thread.send("And now?"))).toMatchObject({ mode: "ask" });
    await Promise.all([agent.close(), next.agent.close()]);
    await store.close();
  });

  test.each(["accept-edits", "plan", "read-only"] as const)(
    "survives a wait for a decision and a restart: %s",
    async (mode) => {
      const path = databasePath();
      const before = sqliteStore(path);
      const first = stage({ turns: [["read"]], needApproval: true, store: before });
      expect(await first.thread.send("Go.", { mode }).result).toMatchObject({ status: "waiting" });
      await first.agent.close();
      await before.close();
      const store = sqliteStore(path);
      const { thread, ran, model, agent } = stage({ turns: [["edit"]], needApproval: true, store });
      const run = thread.approveAll();
      expect(await startOf(run)).toMatchObject({ reason: "decision", mode });
      await run.result;
      expect(ran).toEqual(mode === "accept-edits" ? ["read", "edit"] : ["read"]);
      expect(offered(model.requests[0])).toEqual(mode === "accept-edits" ? everyTool : ["read"]);
      await agent.close();
      await store.close();
    },
  );

  test("survives a crash", async () => {
    const store = memoryStore();
    const never = new Promise<never>(() => undefined);
    const hang = tool({ name: "read", description: "Reads.", annotations: { readOnly: true }, execute: () => never });
    void createAgent({ model: scriptedModel([turn("read")]), store, tools: [hang] })
      .thread("t")
      .send("Go.", { mode: "plan" });
    await until(async () => (await statesOf(store, "t"))["read"] === "running");
    const { agent, ran, model } = stage({ turns: [["edit"]], store: afterDeath(store) });
    const [run] = await agent.recover();
    if (run === undefined) throw new Error("Nothing was recovered.");
    expect(await startOf(run)).toMatchObject({ reason: "recovery", mode: "plan" });
    await run.result;
    expect(offered(model.requests[0])).toEqual(["read"]);
    expect(ran).toEqual([]);
  });

  test("is kept by regenerate()", async () => {
    const { thread } = stage({ turns: [] });
    await thread.send("Go.", { mode: "plan" }).result;
    expect(await startOf(thread.regenerate())).toMatchObject({ reason: "regenerate", mode: "plan" });
  });

  test("a queued message joins the run in its mode, and cannot have another", async () => {
    const { thread } = stage({ turns: [["read"]], needApproval: true });
    await thread.send("Go.", { mode: "plan" }).result;
    const refused = await thread.send("Now do it.", { onInput: "queue", mode: "ask" }).result;
    expect(refused.error).toMatchObject({ code: "options/value", data: { option: "mode", allowed: ["plan"] } });
    expect(await thread.send("And this.", { onInput: "queue", mode: "plan" }).result).toMatchObject({
      status: "waiting",
    });
  });

  test("a message and regenerate() take no wider mode than maxMode from another run", async () => {
    const { thread, ran } = stage({ turns: [["read"], ["edit"], ["edit"]], needApproval: true });
    const started = thread.send("Go.", { mode: "accept-edits", maxMode: "ask" });
    const refused = { code: "options/value", data: { option: "maxMode", value: "ask", allowed: ["accept-edits"] } };
    expect((await started.result).error).toMatchObject(refused);
    await thread.send("Go.", { mode: "accept-edits" }).result;
    const queued = thread.send("And this.", { onInput: "queue", maxMode: "ask" });
    expect((await queued.result).error).toMatchObject(refused);
    const decisions = { call_1: { type: "reject" } } as const;
    const decided = thread.decide(decisions, { input: "And this.", maxMode: "ask" });
    expect((await decided.result).error).toMatchObject(refused);
    expect(await thread.decide(decisions, { maxMode: "ask" }).result).toMatchObject({ status: "done" }); // no message
    expect(ran).toEqual(["edit", "edit"]);
    expect(await startOf(thread.regenerate({ maxMode: "accept-edits" }))).toMatchObject({ mode: "accept-edits" });
    expect(await startOf(thread.regenerate({ maxMode: "ask" }))).toMatchObject({ mode: "ask" });
  });

  test("the mode of the agent is never wider than maxMode", async () => {
    const { thread } = stage({ turns: [["read"]], needApproval: true, mode: "accept-edits" });
    await thread.send("Go.", { maxMode: "ask" }).result;
    expect(await thread.send("And this.", { onInput: "queue", maxMode: "ask" }).result).toMatchObject({
      status: "waiting",
    });
    expect(await startOf(thread.regenerate({ maxMode: "ask" }))).toMatchObject({ mode: "accept-edits" });
  });

  test("a read-only agent has no other mode, whatever a message or an earlier run had", async () => {
    const store = memoryStore();
    const first = stage({ turns: [["destroy"]], needApproval: true, store });
    await first.thread.send("Go.", { mode: "accept-edits" }).result;
    const { thread, ran } = stage({ turns: [], store, mode: "read-only" });
    for (const other of [thread.send("Go.", { mode: "ask" }), thread.begin({ input: "Go.", mode: "plan" })])
      expect((await other.result).error).toMatchObject({ code: "options/value", data: { option: "mode" } });
    const run = thread.approveAll(); // a call that another agent left
    expect(await startOf(run)).toMatchObject({ mode: "read-only" });
    await run.result;
    expect(ran).toEqual([]);
    expect((await thread.calls())[0]).toMatchObject({ status: "failed" });
  });

  test.each<[RunMode, RunMode | undefined, RunMode]>([
    ["ask", undefined, "ask"],
    ["ask", "accept-edits", "ask"],
    ["accept-edits", "ask", "ask"],
    ["plan", "ask", "plan"],
    ["plan", "read-only", "read-only"],
    ["read-only", "accept-edits", "read-only"],
    ["accept-edits", "plan", "plan"],
  ])("a child of %s with %s has %s", (parent, child, mode) => {
    expect(narrowMode(parent, child)).toBe(mode);
  });

  test.each([{ mode: "yolo" }, { mode: null }])("%j is refused", (options) => {
    expect(() => createAgent({ model: scriptedModel([done]), ...(options as object) })).toThrow(/mode/u);
    expect(() => stage({ turns: [] }).thread.send("Go.", options as { mode: RunMode })).toThrow(/mode/u);
  });
});
