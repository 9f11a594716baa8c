import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { createAgent, mcpTools } from "#engine";
import type { AgentOptions, McpClient, McpOptions, McpTools, Run, Thread } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedAnswer, ScriptedModel } from "#testing";

/** A client of the odd server in a process of its own. */
export interface OddClient {
  readonly client: Client;
  readonly transport: StdioClientTransport;
}

/** How an odd server is started in a process of its own. */
export const oddCommand = (count: string) => ({
  command: process.execPath,
  args: ["--no-warnings", fileURLToPath(new URL("odd-server.ts", import.meta.url))],
  env: { COUNT_FILE: count },
});

export const oddTransport = (count: string) => new StdioClientTransport(oddCommand(count));

export async function openOdd(countFile: string): Promise<OddClient> {
  const transport = oddTransport(countFile);
  return { client: await connected(transport), transport };
}

/** A client of the server that the makers of the protocol test clients with. */
export async function openEverything(): Promise<OddClient> {
  const found = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json");
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(dirname(found), "dist/index.js"), "stdio"],
    stderr: "ignore",
  });
  return { client: await connected(transport), transport };
}

async function connected(transport: StdioClientTransport): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  return client;
}

/** A file in which the server counts. */
export interface CountFile {
  readonly path: string;
  readonly count: () => number;
}

export function countFile(): CountFile {
  const path = join(mkdtempSync(join(tmpdir(), "mcp-")), "count");
  writeFileSync(path, "");
  return { path, count: () => readFileSync(path, "utf8").length };
}

/** Waits until the server has told how far a call is: that a call runs is saved before it is sent. */
export async function begun(run: Run, tool: string): Promise<void> {
  for await (const { type, data } of run) {
    if (type === "tool_call_running" && data.name === tool && data.progress !== undefined) return;
  }
}

/** An agent with the tools of a server, and a model that says what the script says. */
export interface McpStage {
  readonly tools: McpTools;
  readonly model: ScriptedModel;
  readonly store: Store;
  readonly thread: Thread;
}

export async function mcpStage(
  client: McpClient,
  script: readonly ScriptedAnswer[],
  { agent = {}, ...options }: McpOptions & { readonly agent?: Partial<AgentOptions> } = {},
): Promise<McpStage> {
  const tools = await mcpTools(client, options);
  const model = scriptedModel(script);
  const store = memoryStore();
  const thread = createAgent({ model, store, tools: [tools], ...agent }).thread("t");
  return { tools, model, store, thread };
}
