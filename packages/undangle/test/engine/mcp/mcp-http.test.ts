/** Servers over HTTP: their sessions can be forgotten, and they can be away for a while. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

import { createMCPClient } from "@ai-sdk/mcp";
import { Client as SecondClient, StreamableHTTPClientTransport as SecondTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { McpClient } from "#engine";
import { afterEach, describe, expect, test } from "vitest";

import { faultsOf } from "../health.ts";
import { chatOf } from "../recorded.ts";
import { mcpStage } from "./mcp-stage.ts";

interface Serving {
  readonly url: URL;
  readonly http: HttpServer;
  /** Forgets all sessions, as a server does that is started anew. */
  readonly forget: () => void;
  readonly runs: () => number;
}

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function serve(): Promise<Serving> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  let runs = 0;
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const server = new McpServer({ name: "http", version: "1.0.0" });
    server.registerTool("ping", { description: "Pings." }, () => ({
      content: [{ type: "text", text: `pong ${++runs}` }],
    }));
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await server.connect(transport);
    return transport;
  };
  const http = createServer((request, response) => {
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? sessions.get(id) : undefined;
    if (id !== undefined && known === undefined) {
      const error = { code: -32001, message: "Session not found" };
      response.writeHead(404).end(JSON.stringify({ jsonrpc: "2.0", error, id: null }));
      return;
    }
    void (known === undefined ? open() : Promise.resolve(known)).then((transport) =>
      transport.handleRequest(request, response),
    );
  });
  await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
  cleanups.push(async () => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo; // it listens on a port
  return { url: new URL(`http://127.0.0.1:${port}/`), http, forget: () => sessions.clear(), runs: () => runs };
}

const openers: Readonly<Record<string, (url: URL) => Promise<McpClient>>> = {
  async "version 1 of the MCP SDK"(url) {
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(url));
    cleanups.push(async () => client.close());
    return client;
  },
  async "version 2 of the MCP SDK"(url) {
    const client = new SecondClient({ name: "test", version: "1.0.0" });
    await client.connect(new SecondTransport(url));
    cleanups.push(async () => client.close());
    return client;
  },
  async "the AI SDK"(url) {
    const client = await createMCPClient({ transport: { type: "http", url: url.href } });
    cleanups.push(async () => client.close());
    return client;
  },
};

const ping = { calls: [{ name: "ping" }] };
const done = { text: "Done." };

describe.each(Object.entries(openers))("over HTTP, the client of %s", (_name, open) => {
  test("gets a new session where the server has forgotten the old one", async () => {
    const serving = await serve();
    const connect = async () => open(serving.url);
    const { thread, model, store } = await mcpStage(
      await connect(),
      [
        ping,
        () => {
          serving.forget();
          return ping;
        },
        done,
      ],
      { connect },
    );
    await thread.send("Go.").result;
    const told = (await chatOf(thread)).filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(told).toEqual(["pong 1", "pong 2"]);
    expect(serving.runs()).toBe(2);
    expect(await faultsOf(store, model.requests)).toEqual([]);
  });

  test("says that a server which is away has executed nothing", async () => {
    const serving = await serve();
    const { thread, store } = await mcpStage(await open(serving.url), [ping, done]);
    serving.http.closeAllConnections();
    await new Promise((resolve) => void serving.http.close(resolve));
    await pause(100); // until then a call may get lost on a connection of before
    await thread.send("Go.").result;
    const told = (await chatOf(thread)).filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(told).toEqual([expect.stringMatching(/^ping was not executed - its MCP server cannot be reached: /u)]);
    expect(await faultsOf(store)).toEqual([]);
  });
});
