import { expect, test, describe } from "vitest";
import { createAgent, defineMiddleware, tool } from "#engine";
import type { AgentEvent, RunEnd } from "#engine";
import { check } from "#codecs";
import { filesystem, subagents } from "#middleware";
import { memoryStore } from "#store";
import { agentWith, delegating, never, playModel, resultsIn, textOf } from "./stage.ts";

async function eventsOf(run: AsyncIterable<AgentEvent>): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

describe("a task", () => {
  test("S1, S2: its agent sees only the task, and its last text is the result", async () => {
    const { agent, model } = agentWith(
      { go: [delegating("find x"), { text: "All done." }], "find x": [{ text: "x is 3. \n" }] },
      { instructions: "Be the parent." },
    );
    const end = await agent.thread("t").send("go").result;
    expect(end).toMatchObject({ status: "done", text: "All done." });
    const [, child, last] = model.requests;
    expect(child?.messages.map((message) => [message.role, textOf(message)])).toEqual([["user", "find x"]]);
    expect(child?.system.map(({ text }) => text).join("")).toContain("last message");
    expect(child?.system.map(({ text }) => text).join("")).not.toContain("Be the parent.");
    expect(last && resultsIn(last)).toEqual(["x is 3."]);
  });

  test("S2: an empty last answer is replaced by the last text, or by a sentence", async () => {
    const noop = tool({ name: "noop", description: "", execute: () => "ok" });
    const { agent, model } = agentWith(
      {
        go: [delegating("speak first", "say nothing"), { text: "Done." }],
        "speak first": [{ text: "Found it.", calls: [{ name: "noop" }] }, { text: "" }],
        "say nothing": [{ text: "" }],
      },
      { tools: [noop] },
    );
    await agent.thread("t").send("go").result;
    const results = resultsIn(model.requests.at(-1) ?? never());
    expect(results[0]).toBe("Found it.");
    expect(results[1]).toMatch(/without a text/u);
  });

  test("S2: a function without an answer is no success either, and white space at its end is removed", async () => {
    const agents = [
      { name: "silent", description: "Says nothing.", run: () => undefined },
      { name: "padded", description: "Says x.", run: () => " x \n" },
    ];
    const { agent, model } = agentWith(
      { go: [delegating(["a", "silent"], ["b", "padded"]), { text: "Done." }] },
      { middleware: [subagents({ agents })] },
    );
    await agent.thread("t").send("go").result;
    expect(resultsIn(model.requests.at(-1) ?? never())).toEqual(["The agent silent finished without a text.", " x"]);
  });

  test("S4: structured outputs of two agents at once", async () => {
    const number = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
    const word = { type: "object", properties: { w: { type: "string" } }, required: ["w"] } as const;
    const { agent, model } = agentWith(
      {
        go: [delegating(["count", "counter"], ["name", "namer"]), { text: "Done." }],
        count: [{ calls: [{ name: "final_answer", arguments: { n: 3 } }] }],
        name: [{ calls: [{ name: "final_answer", arguments: { w: "three" } }] }],
      },
      {
        middleware: [
          subagents({
            agents: [
              { name: "counter", description: "Counts.", instructions: "Count.", output: number },
              { name: "namer", description: "Names.", instructions: "Name.", output: word },
            ],
          }),
        ],
      },
    );
    await agent.thread("t").send("go").result;
    expect(resultsIn(model.requests.at(-1) ?? never())).toEqual(['{"n":3}', '{"w":"three"}']);
  });

  test("S6: an unknown type is an error that names the others, and the run continues", async () => {
    const { agent, model } = agentWith({ go: [delegating(["x", "nobody"]), { text: "Done." }] });
    expect(await agent.thread("t").send("go").result).toMatchObject({ status: "done" });
    expect(resultsIn(model.requests.at(-1) ?? never())[0]).toContain("general-purpose");
  });

  test("S10, S11: failures and limits of a child are errors of its call only", async () => {
    const noop = tool({ name: "noop", description: "", execute: () => "ok" });
    const { agent, model } = agentWith(
      {
        go: [delegating("fails", ["loops", "limited"], "works"), { text: "Done." }],
        fails: [], // the model throws
        loops: [{ text: "Working on it.", calls: [{ name: "noop" }] }, { calls: [{ name: "noop" }] }],
        works: [{ text: "Fine." }],
      },
      {
        tools: [noop],
        middleware: [
          subagents({
            agents: [{ name: "limited", description: "d", instructions: "i", limits: { steps: 1 } }],
          }),
        ],
      },
    );
    expect(await agent.thread("t").send("go").result).toMatchObject({ status: "done" });
    const [failed, limited, fine] = resultsIn(model.requests.at(-1) ?? never());
    expect(failed).toMatch(/did not finish.*No turn 0/su);
    expect(limited).toMatch(/did not finish.*limit/su);
    expect(limited).toContain("Working on it.");
    expect(fine).toBe("Fine.");
  });

  test("S7, S8, S9: names are unique, only the placeholder is replaced, and each agent is one line", () => {
    const spec = { name: "a", description: "one\n two", instructions: "" };
    expect(() => subagents({ agents: [spec, spec] })).toThrow(/"a" occurs twice/u);
    expect(() => subagents({ generalPurpose: false })).toThrow(/at least one agent/u);
    const { agent, model } = agentWith(
      { go: [{ text: "Hi." }] },
      {
        middleware: [
          subagents({ agents: [spec], generalPurpose: false, description: '{"a":1} $& {available_agents}' }),
        ],
      },
    );
    return agent
      .thread("t")
      .send("go")
      .result.then(() =>
        expect(model.requests[0]?.tools.find(({ name }) => name === "task")?.description).toBe(
          '{"a":1} $& - a: one two',
        ),
      );
  });

  test("ready-made agents and functions run tasks", async () => {
    const ready = createAgent({ model: playModel({ hi: [{ text: "from ready" }] }), instructions: "Ready." });
    const { agent, model } = agentWith(
      { go: [delegating(["hi", "ready"], ["sum", "fn"]), { text: "Done." }] },
      {
        middleware: [
          subagents({
            agents: [
              { name: "ready", description: "d", agent: ready },
              { name: "fn", description: "d", run: (task, { callId }) => `${task} by ${callId}` },
            ],
          }),
        ],
      },
    );
    await agent.thread("t").send("go").result;
    expect(resultsIn(model.requests.at(-1) ?? never())).toEqual(["from ready", "sum by call_2"]);
    expect(await ready.threads()).toEqual([]);
  });

  test("S17, S18: a child delegates only if it has agents of its own, up to the depth", async () => {
    const inner = subagents({ maxDepth: 2 });
    const { agent, model } = agentWith(
      {
        go: [delegating(["one", "deep"]), { text: "Done." }],
        one: [delegating("two"), { text: "One done." }],
        two: [delegating("three"), { text: "Two done." }],
      },
      {
        middleware: [
          subagents({ agents: [{ name: "deep", description: "d", instructions: "i", middleware: [inner] }] }),
        ],
      },
    );
    expect(await agent.thread("t").send("go").result).toMatchObject({ status: "done" });
    const second = model.requests.find(({ messages }) => textOf(messages[0]) === "two");
    expect(second?.tools.map(({ name }) => name)).not.toContain("task");
    const after = model.requests.findLast(({ messages }) => textOf(messages[0]) === "two");
    expect(after && resultsIn(after)[0]).toMatch(/task/u);
  });

  test("S19: events of a child have a path, in order, with ids that start with it", async () => {
    const { agent } = agentWith(
      {
        go: [delegating("find x"), { text: "Done." }],
        "find x": [{ calls: [{ name: "look" }] }, { text: "It is 3." }],
      },
      { tools: [tool({ name: "look", description: "", execute: () => "3" })] },
    );
    const events = await eventsOf(agent.thread("t").send("go"));
    const inside = events.filter(({ path }) => path !== undefined);
    expect(new Set(inside.map(({ path }) => path?.join()))).toEqual(new Set(["call_1"]));
    expect(inside.map(({ type }) => type)).toEqual([
      "model_start",
      "tool_call_start",
      "tool_call_delta",
      "model_end",
      "tool_call_ready",
      "tool_call_running",
      "tool_call_end",
      "model_start",
      "text_delta",
      "model_end",
    ]);
    expect(inside.find(({ type }) => type === "tool_call_end")?.data).toMatchObject({ id: "call_1/call_1" });
    const running = events.findIndex(({ type, path }) => type === "tool_call_running" && path === undefined);
    const ended = events.findIndex(({ type, path }) => type === "tool_call_end" && path === undefined);
    expect(events.indexOf(inside[0] ?? never())).toBeGreaterThan(running);
    expect(events.indexOf(inside.at(-1) ?? never())).toBeLessThan(ended);
    const stored = await take(agent.thread("t").events({ path: ["call_1"] }), inside.length + 2);
    expect([stored[0]?.type, stored.at(-1)?.type]).toEqual(["run_start", "run_end"]);
    expect(stored.filter(({ type }) => type.startsWith("tool_call_")).map(({ path }) => path)).toContainEqual([
      "call_1",
    ]);
  });

  test("S20: a hundred tasks run, no more than the limit at once, and their threads go with the parent", async () => {
    const store = memoryStore();
    let running = 0;
    let most = 0;
    const slow = tool({
      name: "slow",
      description: "",
      async execute() {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 1));
        running--;
        return "ok";
      },
    });
    const tasks = Array.from({ length: 100 }, (_, i) => `task ${i}`);
    const children = tasks.map((task) => [task, [{ calls: [{ name: "slow" }] }, { text: `${task} done` }]] as const);
    const { agent } = agentWith(
      { go: [delegating(...tasks), { text: "Done." }], ...Object.fromEntries(children) },
      { store, tools: [slow], limits: { parallel: 8 } },
    );
    expect(await agent.thread("t").send("go").result).toMatchObject({ status: "done" });
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(8);
    expect((await agent.threads()).map(({ id }) => id)).toEqual(["t"]);
    expect(await store.list({ parent: "t", limit: 200 })).toHaveLength(100);
    await agent.delete("t", { purge: true });
    expect(await store.list({ parent: "t" })).toEqual([]);
    expect(await store.load("t/call_1")).toBeUndefined();
  });

  test("S21: usage of children is counted once, and their tokens count for the limit", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
    const plays = {
      go: [
        { ...delegating("a", "b"), usage },
        { text: "Done.", usage },
      ],
      a: [{ text: "A", usage }],
      b: [{ text: "B", usage }],
    };
    const { agent } = agentWith(plays);
    const end = await agent.thread("t").send("go").result;
    expect(end.usage.totalTokens).toBe(44);
    expect(end.threadUsage.totalTokens).toBe(44);
    const limited = agentWith(plays, { limits: { tokens: 20 } }).agent;
    const stopped: RunEnd = await limited.thread("t").send("go").result;
    expect(stopped).toMatchObject({ status: "stopped", error: { code: "run/limit" } });
  });

  test("S22: a stop stops all children, and finished ones keep their results", async () => {
    let reached = (): void => undefined;
    const ready = new Promise<void>((resolve) => (reached = resolve));
    const hang = tool({
      name: "hang",
      description: "",
      execute: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted")));
          reached();
        }),
    });
    const { agent, model } = agentWith(
      {
        go: [delegating("quick", "hangs"), { text: "Done." }],
        quick: [{ text: "Quick." }],
        hangs: [{ calls: [{ name: "hang" }] }],
      },
      { tools: [hang] },
    );
    const thread = agent.thread("t");
    const run = thread.send("go");
    await ready;
    await expect.poll(async () => (await thread.calls())[0]?.status).toBe("succeeded");
    expect(await run.stop()).toMatchObject({ status: "stopped" });
    expect((await thread.calls()).map(({ status, result }) => [status, result])).toEqual([
      ["succeeded", "Quick."],
      ["stopped", undefined],
    ]);
    expect((await agent.store.load("t/call_2"))?.status).toBe("idle");
    expect(check(await thread.history("openai-chat"), { format: "openai-chat" })).toEqual([]);
    expect(model.calls).toBe(3);
  });
});

describe("files of tasks", () => {
  test("a child reads the files of its parent, and the parent gets its changes with the result", async () => {
    const write = (path: string, content: string) => ({ name: "write_file", arguments: { file_path: path, content } });
    const read = (path: string) => ({ name: "read_file", arguments: { file_path: path } });
    const { agent, model } = agentWith(
      {
        go: [
          delegating("change"),
          { calls: [read("/new.txt"), read("/gone.txt"), read("/old.txt")] },
          { text: "Done." },
        ],
        change: [
          {
            calls: [
              read("/old.txt"),
              { name: "delete", arguments: { file_path: "/gone.txt" } },
              write("/new.txt", "new"),
            ],
          },
          { calls: [{ name: "ls", arguments: { path: "/" } }] },
          { text: "Changed." },
        ],
      },
      { middleware: [filesystem(), subagents({ defaults: [filesystem()] })] },
    );
    const thread = agent.thread("t");
    const end = await thread.send("go", { files: { "/old.txt": "old", "/gone.txt": "gone" } }).result;
    expect(end).toMatchObject({ status: "done" });
    const child = model.requests.findLast(({ messages }) => textOf(messages[0]) === "change") ?? never();
    expect(resultsIn(child)[0]).toContain("old");
    expect(resultsIn(child)[3]).toContain("new.txt");
    expect(resultsIn(child)[3]).not.toContain("gone.txt");
    expect((await thread.files()).map(({ path }) => path)).toEqual(["/new.txt", "/old.txt"]);
  });
});

test("S5: shared state goes to the child, and its updates come back with the result; other state stays", async () => {
  const counter = (name: string, shared: boolean) =>
    defineMiddleware<number, number>({
      name,
      state: { initial: 0, reduce: (sum, more) => sum + more, shared },
      tools: (own) => [
        tool({
          name: `add_${name}`,
          description: "",
          execute(_args, context) {
            own(context).update(1);
            return `now ${own(context).get()}`;
          },
        }),
      ],
    });
  const both = () => [counter("common", true), counter("own", false)];
  const add = { calls: [{ name: "add_common" }, { name: "add_own" }] };
  const { agent, model } = agentWith(
    {
      go: [add, delegating("one", "two"), add, { text: "Done." }],
      one: [add, { text: "1" }],
      two: [add, { text: "2" }],
    },
    { middleware: [...both(), subagents({ defaults: both() })] },
  );
  const thread = agent.thread("t");
  await thread.send("go").result;
  const child = model.requests.find(({ messages }) => textOf(messages[0]) === "one" && messages.length > 1) ?? never();
  expect(resultsIn(child)).toEqual(["now 2", "now 1"]);
  expect(await thread.state()).toEqual({ common: 4, own: 2 });
});

test("MO4: a task runs in the mode of the run that delegates it, and cannot widen it", async () => {
  const log: string[] = [];
  const edit = tool({
    name: "edit",
    description: "",
    annotations: { edits: true },
    execute: () => void log.push("edit"),
  });
  const spec = { description: "d", instructions: "i", tools: [edit] };
  const { agent, model } = agentWith(
    {
      go: [delegating(["change", "editor"]), { text: "Planned." }],
      change: [{ calls: [{ name: "edit" }] }, { text: "No." }],
    },
    {
      mode: "accept-edits",
      middleware: [subagents({ agents: [{ name: "editor", ...spec }] })],
      approvals: [{ tools: "edit", optional: true }],
    },
  );
  expect(await agent.thread("plan").send("go", { mode: "plan" }).result).toMatchObject({ status: "done" });
  expect(model.requests.find(({ messages }) => textOf(messages[0]) === "change")?.tools).toEqual([]);
  expect(log).toEqual([]);
  expect(await agent.thread("edit").send("go").result).toMatchObject({ status: "done" });
  expect(log).toEqual(["edit"]);
});

async function take<T>(items: AsyncIterable<T>, count: number): Promise<readonly T[]> {
  const taken: T[] = [];
  for await (const item of items) if (taken.push(item) >= count) break;
  return taken;
}
