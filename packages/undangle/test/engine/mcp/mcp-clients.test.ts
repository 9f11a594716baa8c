/** Clients that are not that of version 1 of the SDK, each with a server in a process of its own. */
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as AiSdkStdio } from "@ai-sdk/mcp/mcp-stdio";
import { Client as SecondClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as SecondStdio } from "@modelcontextprotocol/client/stdio";
import type { McpClient } from "#engine";
import { afterEach, describe, expect, test } from "vitest";

import { faultsOf } from "../health.ts";
import { until } from "../promised.ts";
import { eventsOf, statesOf, toldOf } from "../recorded.ts";
import { begun, countFile, mcpStage, oddCommand } from "./mcp-stage.ts";

const calls = (...names: readonly string[]) => ({ calls: names.map((name) => ({ name })) });
const echo = { calls: [{ name: "echo", arguments: { text: "hello" } }] };
const done = { text: "Done." };

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

const openers: Readonly<Record<string, (path: string) => Promise<McpClient>>> = {
  async "version 2 of the MCP SDK"(path) {
    const client = new SecondClient({ name: "test", version: "1.0.0" });
    await client.connect(new SecondStdio(oddCommand(path)));
    opened.push(async () => client.close());
    return client;
  },
  async "the AI SDK"(path) {
    const client = await createMCPClient({ transport: new AiSdkStdio(oddCommand(path)) });
    opened.push(async () => client.close());
    return client;
  },
};

describe.each(Object.entries(openers))("the client of %s", (name, open) => {
  test("lists all pages, calls with arguments, and gives what the server gave", async () => {
    const script = [{ calls: [...echo.calls, ...calls("picture", "structured", "fails", "breaks").calls] }, done];
    const { thread, tools, model, store } = await mcpStage(await open(countFile().path), script);
    await thread.send("Go.").result;
    expect(tools.tools().length).toBe(20);
    expect(await statesOf(store, "t")).toEqual({
      echo: "succeeded",
      picture: "succeeded",
      structured: "succeeded",
      fails: "failed",
      breaks: "failed",
    });
    const told = await toldOf(thread);
    expect(told["echo"]).toBe("You said hello.");
    expect(told["fails"]).toBe("No such city.");
    expect(told["breaks"]).toContain("the disk is on fire");
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("is opened anew when the server has died, and what died is called again only if it may be", async () => {
    const file = countFile();
    const connect = async () => open(file.path);
    const script = [calls("crash_once"), calls("crash"), echo, done];
    const { thread, store } = await mcpStage(await connect(), script, { connect });
    await thread.send("Go.").result;
    expect(await statesOf(store, "t")).toEqual({ crash_once: "succeeded", crash: "failed", echo: "succeeded" });
    expect((await toldOf(thread))["crash"]).toBe(
      "The connection to the MCP server broke while crash was running. Its outcome is unknown.",
    );
    expect(file.count()).toBe(3);
  });

  test("can be refreshed", async () => {
    const { thread, tools } = await mcpStage(await open(countFile().path), [calls("grow"), done]);
    await thread.send("Go.").result;
    await tools.refresh();
    expect(tools.tools().some(({ name: each }) => each === "grown")).toBe(true);
  });

  test.runIf(name.includes("MCP"))("tells of progress, list changes and stops", async () => {
    const script = [calls("steps", "grow"), calls("slow"), calls("cancelled"), done];
    const { thread, tools } = await mcpStage(await open(countFile().path), script);
    const run = thread.send("Go.");
    await begun(run, "slow");
    await run.stop();
    const events = await eventsOf(run);
    const told = events.flatMap(({ type, data }) =>
      type === "tool_call_running" && data.name === "steps" ? [data.progress] : [],
    );
    expect(told.filter(Boolean)).toHaveLength(3);
    await until(() => tools.tools().some(({ name: each }) => each === "grown"));
    await thread.send("How often?").result;
    expect((await toldOf(thread))["cancelled"]).toBe("1");
  });
});
