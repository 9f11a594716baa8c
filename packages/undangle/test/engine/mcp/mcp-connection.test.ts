import { createAgent, mcpTools } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { afterEach, describe, expect, test } from "vitest";

import { faultsOf } from "../health.ts";
import { soon, until } from "../promised.ts";
import { callsOf, chatOf, statesOf, toldOf } from "../recorded.ts";
import { countFile, mcpStage, oddTransport, openOdd } from "./mcp-stage.ts";
import type { OddClient } from "./mcp-stage.ts";

const calls = (...names: readonly string[]) => ({ calls: names.map((name) => ({ name })) });
const echo = { calls: [{ name: "echo", arguments: { text: "hello" } }] };
const done = { text: "Done." };

const opened: OddClient[] = [];

/** Opens clients of the odd server, all of which are closed after the test. */
function opener(path: string) {
  return async () => {
    const odd = await openOdd(path);
    opened.push(odd);
    return odd.client;
  };
}

afterEach(async () => {
  for (const { client } of opened.splice(0)) await client.close();
});

const results = async (thread: Parameters<typeof chatOf>[0]) =>
  (await chatOf(thread)).flatMap(({ role, content }) => (role === "tool" ? [content] : []));

describe("a server that dies in the middle of a call", () => {
  test("leaves an error result that says that the outcome is unknown, and later calls are not executed", async () => {
    const file = countFile();
    const { thread, store, model } = await mcpStage(await opener(file.path)(), [calls("crash"), echo, done]);
    expect((await thread.send("Go.").result).status).toBe("done");
    expect(await toldOf(thread)).toEqual({
      crash: "The connection to the MCP server broke while crash was running. Its outcome is unknown.",
      echo: "echo was not executed - its MCP server cannot be reached: Not connected",
    });
    expect(await statesOf(store, "t")).toEqual({ crash: "failed", echo: "failed" });
    expect(file.count()).toBe(1);
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("says so in the language of the agent", async () => {
    const client = await opener(countFile().path)();
    const { thread } = await mcpStage(client, [calls("crash"), echo, done], { language: "zh" });
    await thread.send("去。").result;
    expect(await results(thread)).toEqual([
      "crash 执行期间与 MCP 服务器的连接中断，其结果未知。",
      "echo 未被执行——无法连接到其 MCP 服务器：Not connected",
    ]);
  });

  test("is opened anew for the next call, and what died is not called again", async () => {
    const file = countFile();
    const connect = opener(file.path);
    const { thread, store, model } = await mcpStage(await connect(), [calls("crash"), echo, done], { connect });
    await thread.send("Go.").result;
    expect(await statesOf(store, "t")).toEqual({ crash: "failed", echo: "succeeded" });
    expect((await toldOf(thread))["echo"]).toBe("You said hello.");
    expect(file.count()).toBe(1);
    expect(opened.length).toBe(2);
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("is called again for a tool that may run twice", async () => {
    const file = countFile();
    const connect = opener(file.path);
    const { thread, store } = await mcpStage(await connect(), [calls("crash_once"), done], { connect });
    await thread.send("Go.").result;
    expect(await toldOf(thread)).toEqual({ crash_once: "done the 2. time" });
    expect(await statesOf(store, "t")).toEqual({ crash_once: "succeeded" });
    expect(file.count()).toBe(2);
  });

  test("is told as unknown for such a tool, too, when the server does not come back", async () => {
    const file = countFile();
    const connect = async () => Promise.reject(new Error("gone for good"));
    const { thread } = await mcpStage(await opener(file.path)(), [calls("crash_once"), done], { connect });
    await thread.send("Go.").result;
    expect((await toldOf(thread))["crash_once"]).toMatch(/broke while crash_once was running. Its outcome is unknown/u);
  });

  test("is not called again without a way to open it, nor when the options say that the tool may not", async () => {
    const file = countFile();
    const connect = opener(file.path);
    const options = { connect, idempotent: { crash_once: false } };
    const { thread } = await mcpStage(await connect(), [calls("crash_once"), done], options);
    await thread.send("Go.").result;
    expect((await toldOf(thread))["crash_once"]).toMatch(/outcome is unknown/u);
    expect(file.count()).toBe(1);
  });

  test("takes the calls beside it with it, and they share the new connection", async () => {
    const file = countFile();
    const connect = opener(file.path);
    const script = [calls("slow", "slow", "crash"), { calls: [...echo.calls, ...echo.calls] }, done];
    const { thread, store, model } = await mcpStage(await connect(), script, { connect });
    expect((await soon(thread.send("Go.").result, 15_000)).status).toBe("done");
    const broken = (name: string) =>
      `The connection to the MCP server broke while ${name} was running. Its outcome is unknown.`;
    expect(await results(thread)).toEqual([
      ...["slow", "slow", "crash"].map(broken),
      "You said hello.",
      "You said hello.",
    ]);
    expect(opened.length).toBe(2);
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });
});

describe("a connection that is opened anew", () => {
  test("is followed by the list of the new server", async () => {
    const connect = opener(countFile().path);
    const tools = await mcpTools(await connect(), { connect });
    const [grow, again] = ["grow", "echo"].map((name) => tools.tools().find((each) => each.name === name));
    const model = scriptedModel([calls("grow"), echo, done]);
    const thread = createAgent({ model, store: memoryStore(), tools: [tools] }).thread("t");
    expect(grow).toBeDefined();
    const run = thread.send("Go.");
    await until(() => tools.tools().some(({ name }) => name === "grown"));
    await run.result;
    expect(tools.tools().some(({ name }) => name === "nothing")).toBe(false);
    await opened[0]?.client.close();
    const other = createAgent({ model: scriptedModel([echo, done]), tools: [tools] }).thread("u");
    await other.send("Go.").result;
    await until(() => tools.tools().some(({ name }) => name === "nothing"));
    expect(tools.tools().some(({ name }) => name === "grown")).toBe(false);
    expect(tools.tools()).toContain(again); // what has not changed is the same
  });

  test("is tried three times, and then the call was not executed", async () => {
    const open = opener(countFile().path);
    let attempts = 0;
    const connect = async (): Promise<never> => {
      attempts++;
      throw new Error("the door is shut");
    };
    const { thread, store } = await mcpStage(await open(), [{ calls: [...echo.calls, ...echo.calls] }, done], {
      connect,
    });
    await opened[0]?.client.close();
    await thread.send("Go.").result;
    expect(await results(thread)).toEqual(
      Array(2).fill("echo was not executed - its MCP server cannot be reached: the door is shut"),
    );
    expect(attempts).toBe(3);
    expect(await faultsOf(store)).toEqual([]);
  });

  test("is of no use to a call that was stopped meanwhile", async () => {
    const file = countFile();
    const open = opener(file.path);
    const { promise: gate, resolve: openGate } = Promise.withResolvers<undefined>();
    const connect = async () => {
      await gate;
      return open();
    };
    const { thread, store, tools } = await mcpStage(await open(), [calls("crash"), done, done], { connect });
    await opened[0]?.client.close();
    const run = thread.send("Go.");
    await until(async () => (await statesOf(store, "t"))["crash"] === "running");
    await run.stop();
    openGate(undefined);
    await tools.refresh();
    await thread.send("And now?").result;
    expect(file.count()).toBe(0);
    expect((await callsOf(store, "t")).map(({ state }) => state)).toEqual(["stopped"]);
    expect(await faultsOf(store)).toEqual([]);
  });

  test("is not opened any more when the tools are closed", async () => {
    const connect = opener(countFile().path);
    const { thread, tools } = await mcpStage(await connect(), [echo, done], { connect });
    await tools.close();
    await thread.send("Go.").result;
    expect((await toldOf(thread))["echo"]).toMatch(/^echo was not executed/u);
    expect(opened.length).toBe(1);
  });

  test("may be that of the same client", async () => {
    const file = countFile();
    const client = await opener(file.path)();
    const connect = async () => {
      await client.connect(oddTransport(file.path));
      return client;
    };
    const script = [calls("crash_once", "crash_once", "slow"), calls("grow"), echo, done];
    const { thread, tools } = await mcpStage(client, script, { connect, idempotent: { slow: false } });
    await thread.send("Go.").result;
    expect((await results(thread)).slice(0, 3)).toEqual([
      expect.stringMatching(/^done the/u),
      expect.stringMatching(/^done the/u),
      expect.stringMatching(/while slow was running/u),
    ]);
    expect((await toldOf(thread))["echo"]).toBe("You said hello.");
    await until(() => tools.tools().some(({ name }) => name === "grown"));
  });

  test("may be its owner's work, with the same client", async () => {
    const file = countFile();
    const { thread } = await mcpStage(await opener(file.path)(), [echo, calls("breaks"), done]);
    const [first] = opened;
    await first?.client.close();
    await first?.client.connect(oddTransport(file.path));
    await thread.send("Go.").result;
    expect(await toldOf(thread)).toEqual({
      echo: "You said hello.",
      breaks: "MCP error -32603: the disk is on fire",
    });
  });
});

test("handlers that the owner of a client has set are called as before", async () => {
  const client = await opener(countFile().path)();
  let closings = 0;
  const heard: string[] = [];
  const fallbackNotificationHandler = async ({ method }: { readonly method: string }) => void heard.push(method);
  Object.assign(client, { onclose: () => void closings++, fallbackNotificationHandler });
  const { thread } = await mcpStage(client, [calls("grow"), done]);
  await thread.send("Go.").result;
  await until(() => heard.length > 0);
  await client.close();
  expect({ closings, heard }).toEqual({ closings: 1, heard: ["notifications/tools/list_changed"] });
});
