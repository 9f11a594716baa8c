import type { Message } from "#codecs";
import { createAgent, mcpTools, tool } from "#engine";
import type { McpClient } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { faultsOf } from "../health.ts";
import { until } from "../promised.ts";
import { eventsOf, statesOf, toldOf } from "../recorded.ts";
import { begun, countFile, mcpStage, openOdd } from "./mcp-stage.ts";
import type { OddClient } from "./mcp-stage.ts";

const calls = (...names: readonly string[]) => ({ calls: names.map((name) => ({ name })) });
const done = { text: "Done." };

/** What the last message has told the model of each call. */
const partsOf = (messages: readonly Message[]) =>
  messages.flatMap((message) => (message.role === "tool" ? message.results.map(({ parts }) => parts) : []));

describe("the tools of a server", () => {
  let odd: OddClient;
  beforeAll(async () => {
    odd = await openOdd(countFile().path);
  });
  afterAll(() => odd.client.close());

  test("are all there, with their schemas and with names that every provider takes", async () => {
    const { model, thread, store } = await mcpStage(odd.client, [done]);
    await thread.send("Hello.").result;
    const [request] = model.requests;
    const names = request?.tools.map(({ name }) => name) ?? [];
    expect(names.length).toBe(20);
    expect(names.filter((name) => !/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/u.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(request?.tools[0]).toEqual({
      name: "echo",
      description: "Says it again.",
      schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    });
    expect(request?.tools[1]).toMatchObject({ name: "picture", description: "Draws and sings." });
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("with odd names are called by their own ones", async () => {
    const { tools } = await mcpStage(odd.client, [done]);
    const names = tools.tools().map(({ name }) => name);
    const [dotted, chinese, long] = ["files_read_", "_____", "long_xx"].map((start) =>
      names.find((name) => name.startsWith(start)),
    );
    const given = [dotted, "files_read", chinese, long].map((name) => name ?? "none");
    const { thread } = await mcpStage(odd.client, [calls(...given), done]);
    await thread.send("Go.").result;
    expect(Object.values(await toldOf(thread))).toEqual(["by dot", "by underscore", "in Chinese", "long"]);
  });

  test("have a prefix where one is given, and only those that are wanted", async () => {
    const { tools } = await mcpStage(odd.client, [done], { prefix: "odd_", only: ["echo", "files.read"] });
    expect(tools.tools().map(({ name }) => name)).toEqual([
      "odd_echo",
      expect.stringMatching(/^odd_files_read_[0-9a-f]{8}$/u),
    ]);
  });

  test("answer, and wrong arguments do not reach them", async () => {
    const script = [
      { calls: [{ name: "echo", arguments: { text: "hello" } }, { name: "echo" }] },
      (request: { readonly messages: readonly Message[] }) => ({ text: JSON.stringify(partsOf(request.messages)) }),
    ];
    const { thread, model, store } = await mcpStage(odd.client, script);
    const { text } = await thread.send("Go.").result;
    expect(text).toContain("You said hello.");
    expect(text).toContain("echo was not executed - its arguments do not fit");
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("whose schema cannot be used are told in words, and disturb no other", async () => {
    const warnings: unknown[] = [];
    const logger = { info: () => undefined, warn: (data: unknown) => void warnings.push(data), error: () => undefined };
    const script = [{ calls: [{ name: "odd_schema", arguments: { a: 1 } }] }, done];
    const { thread, tools, model, store } = await mcpStage(odd.client, script, { logger });
    await thread.send("Go.").result;
    expect(await toldOf(thread)).toEqual({ odd_schema: '{"a":1}' });
    const found = tools.tools().find(({ name }) => name === "odd_schema");
    expect(found?.schema).toEqual({ type: "object" });
    expect(found?.description).toContain('"$ref":"#/$defs/nowhere"');
    expect(JSON.stringify(warnings)).toMatch(/^\[\{"tool":"odd_schema","reason":"[^"]+#\/\$defs\/nowhere/u);
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("return images, sound, files and links, and every format takes the next request", async () => {
    const names = ["picture", "resources", "structured", "structured_alone", "structured_beside"];
    const { thread, model, store } = await mcpStage(odd.client, [calls(...names, "nothing"), done]);
    expect((await thread.send("Go.").result).status).toBe("done");
    const [picture, resources, ...others] = partsOf(model.requests[1]?.messages ?? []);
    expect(picture).toMatchObject([
      { type: "text", text: "Look:" },
      { type: "media", kind: "image", mediaType: "image/png", source: { type: "bytes" } },
      { type: "media", kind: "audio", mediaType: "audio/wav" },
    ]);
    expect(resources).toMatchObject([
      { type: "text", text: "A note." },
      { type: "media", kind: "file", mediaType: "application/pdf", name: "a.pdf" },
      { type: "text", text: '{"uri":"file:///b.txt","name":"b","description":"Another note."}' },
    ]);
    const weather = { temperature: 21, wind: { speed: 3 } };
    expect(others).toMatchObject([
      [{ text: JSON.stringify(weather, null, 2) }],
      [{ text: JSON.stringify(weather) }],
      [{ text: "It is warm." }, { text: JSON.stringify(weather) }],
      [{ text: "Done." }],
    ]);
    expect(others.map((parts) => parts.length)).toEqual([1, 1, 2, 1]);
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("that fail are error results", async () => {
    const { thread, model, store } = await mcpStage(odd.client, [calls("fails", "breaks"), done]);
    await thread.send("Go.").result;
    expect(await statesOf(store, "t")).toEqual({ fails: "failed", breaks: "failed" });
    expect(await toldOf(thread)).toEqual({
      fails: "No such city.",
      breaks: "MCP error -32603: the disk is on fire",
    });
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("tell how far they are", async () => {
    const { thread } = await mcpStage(odd.client, [calls("steps"), done]);
    const events = await eventsOf(thread.send("Go."));
    const told = events.flatMap(({ type, data }) => (type === "tool_call_running" ? [data.progress] : []));
    expect(told.filter(Boolean)).toEqual(
      [1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })),
    );
    expect(await toldOf(thread)).toEqual({ steps: "three steps" });
  });

  test("hear of a stop", async () => {
    const { thread, store } = await mcpStage(odd.client, [calls("slow"), calls("cancelled"), done]);
    const run = thread.send("Go.");
    await begun(run, "slow");
    expect((await run.stop()).status).toBe("stopped");
    await thread.send("How often?").result;
    expect((await toldOf(thread))["cancelled"]).toBe("1");
    expect(await faultsOf(store)).toEqual([]);
  });

  test("have a time limit of their own, and the server hears of it", async () => {
    const { thread, store, model } = await mcpStage(odd.client, [calls("slow"), calls("cancelled"), done], {
      timeout: 50,
    });
    await thread.send("Go.").result;
    expect(await statesOf(store, "t")).toEqual({ slow: "timed-out", cancelled: "succeeded" });
    expect((await toldOf(thread))["cancelled"]).toBe("2");
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });
});

describe("what a server says of its tools", () => {
  let odd: OddClient;
  beforeAll(async () => {
    odd = await openOdd(countFile().path);
  });
  afterAll(() => odd.client.close());
  const readWith = async (options: Parameters<typeof mcpTools>[1]) => {
    const source = await mcpTools(odd.client, options);
    return Object.fromEntries(source.tools().map(({ name, approval, idempotent }) => [name, { approval, idempotent }]));
  };

  test("makes them idempotent, unless the options say otherwise", async () => {
    const told = await readWith({});
    expect([told["echo"], told["crash_once"], told["crash"]].map((each) => each?.idempotent)).toEqual([
      true,
      true,
      false,
    ]);
    const named = await readWith({ idempotent: { echo: false, crash: true } });
    expect([named["echo"], named["crash_once"], named["crash"]].map((each) => each?.idempotent)).toEqual([
      false,
      true,
      true,
    ]);
    const none = await readWith({ idempotent: false });
    expect(Object.values(none).some(({ idempotent }) => idempotent)).toBe(false);
  });

  test("spares nobody an approval who has not asked for that", async () => {
    const all = await readWith({ approval: true });
    expect(Object.values(all).every(({ approval }) => approval === true)).toBe(true);
    const destructive = await readWith({ approval: "destructive" });
    const free = Object.entries(destructive).filter(([, { approval }]) => approval === false);
    expect(free.map(([name]) => name)).toEqual(["echo", "fails"]);
    const when = () => true;
    const named = await readWith({ approval: { "files.read": { when }, files_read: false, slow: true } });
    expect(Object.values(named).filter(({ approval }) => approval !== false)).toHaveLength(2);
    const nearly = await readWith({ approval: { "files.read": { when } } });
    expect(nearly["files_read"]?.approval).toEqual({}); // nearly the same name
  });

  test("calls wait for a person, and run when that person says so", async () => {
    const { thread } = await mcpStage(odd.client, [calls("cancelled"), done], { approval: "destructive" });
    expect((await thread.send("Go.").result).status).toBe("waiting");
    expect((await thread.approveAll().result).status).toBe("done");
    expect(await toldOf(thread)).toEqual({ cancelled: "0" });
  });

  test.each([
    [{ approval: { ekho: true } }, /"ekho" is not a value of the option approval. Allowed: echo, /u],
    [{ only: ["nope"] }, /"nope" is not a value of the option only/u],
    [{ prefix: "a b" }, /"a b" is not a value of the option prefix/u],
    [{ timeout: 0 }, /0 is not a value of the option timeout/u],
    [{ tmeout: 0 }, /Unknown option "tmeout"/u],
    [{ approval: { echo: "yes" } }, /"yes" is not a value of the option echo.approval/u],
  ])("options that mean nothing are refused: %j", async (options, message) => {
    await expect(mcpTools(odd.client, options as never)).rejects.toThrow(message); // as those write it who have no types
  });

  test("what is no client is refused", async () => {
    await expect(mcpTools({} as never)).rejects.toThrow(/an MCP client, an object with the methods listTools/u);
  });
});

describe("a list that changes", () => {
  let odd: OddClient | undefined;
  afterEach(() => odd?.client.close());

  test("is what the model is told of next, and a tool that is gone is an error result", async () => {
    odd = await openOdd(countFile().path);
    const isNew = () => grown.tools.tools().some(({ name }) => name === "grown");
    const grown = await mcpStage(odd.client, [
      calls("grow"),
      async () => {
        await until(isNew);
        return calls("nothing", "grown");
      },
      done,
    ]);
    const { thread, model, store } = grown;
    expect((await thread.send("Go.").result).status).toBe("done");
    const told = await toldOf(thread);
    expect(told["nothing"]).toMatch(/^nothing is not a valid tool, try one of \[echo, .*grown\]/u);
    expect(told["grown"]).toBe("grown");
    const names = model.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(names.map((each) => [each.includes("nothing"), each.includes("grown")])).toEqual([
      [true, false],
      expect.anything(), // as it was or as it is: the server says so when it likes
      [false, true],
    ]);
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("leaves out a newcomer whose name is taken, and says so once", async () => {
    odd = await openOdd(countFile().path);
    const warnings: unknown[] = [];
    const logger = { info: () => undefined, warn: (data: unknown) => void warnings.push(data), error: () => undefined };
    const own = tool({ name: "grown", description: "Mine.", execute: () => "mine" });
    const tools = await mcpTools(odd.client);
    const model = scriptedModel([calls("grow"), calls("grown"), calls("grown"), done]);
    const agent = createAgent({ model, logger, store: memoryStore(), tools: [tools, own] });
    const thread = agent.thread("t");
    await thread.send("Go.").result;
    await tools.refresh();
    expect(tools.tools().some(({ name }) => name === "grown")).toBe(true);
    expect((await toldOf(thread))["grown"]).toBe("mine");
    await agent.thread("u").send("Again.").result;
    expect(warnings).toMatchObject([{ tool: "grown", place: "tools[0].tools()[19]" }]);
  });

  test("refuses two of one name at the start, with the places of both", async () => {
    odd = await openOdd(countFile().path);
    const own = tool({ name: "echo", description: "Mine.", execute: () => "mine" });
    const tools = await mcpTools(odd.client);
    expect(() => createAgent({ model: scriptedModel([done]), tools: [own, tools] })).toThrow(
      "Two tools are called echo: tools[0] and tools[1].tools()[0].",
    );
  });
});

test("a call that waits runs the tool that was shown, though the next process lists them in another order", async () => {
  const ran: string[] = [];
  const client = (names: readonly string[]): McpClient => ({
    listTools: () =>
      Promise.resolve({ tools: names.map((name) => ({ name, description: name, inputSchema: { type: "object" } })) }),
    callTool: ({ name }: { readonly name: string }) => {
      ran.push(name);
      return Promise.resolve({ content: [{ type: "text", text: name }] });
    },
  });
  const store = memoryStore();
  const first = await mcpTools(client(["查询", "删除"]), { approval: true });
  const shown = first.tools()[0]?.name ?? "none";
  const before = createAgent({ model: scriptedModel([calls(shown)]), store, tools: [first] });
  await before.thread("t").send("Look it up.").result;
  await before.close();
  const second = await mcpTools(client(["删除", "查询"]), { approval: true });
  const after = createAgent({ model: scriptedModel([done]), store, tools: [second] });
  const thread = after.thread("t");
  const [waiting] = await thread.pending();
  await thread.decide({ [waiting?.id ?? ""]: { type: "approve", digest: waiting?.digest ?? "" } }).result;
  expect(ran).toEqual(["查询"]);
});

test.each([
  ["in the words of a client", "MCP error -32603: Not connected", { code: -32603 }],
  ["of its own database", "database: Not connected", {}],
  ["because it found nothing", "Not Found", { status: 404 }],
])("a tool that failed %s has run, and is not run again", async (_, message, more) => {
  let runs = 0;
  let openings = 0;
  const client: McpClient = {
    listTools: () =>
      Promise.resolve({ tools: [{ name: "pay", description: "Pays.", inputSchema: { type: "object" } }] }),
    callTool: () => {
      runs++;
      return Promise.reject(Object.assign(new Error(message), more));
    },
  };
  const connect = () => {
    openings++;
    return client;
  };
  const { thread } = await mcpStage(client, [calls("pay"), done], { connect });
  await thread.send("Go.").result;
  const [told] = Object.values(await toldOf(thread));
  expect({ runs, openings }).toEqual({ runs: 1, openings: 0 });
  expect(told).toContain(message);
  expect(told).not.toContain("was not executed");
});
