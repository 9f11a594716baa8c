/** An MCP server over stdio that does everything a client has to bear. `COUNT_FILE` outlives it: there it counts its starts of a tool. */
import { appendFileSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { CallToolResult, ServerNotification, Tool } from "@modelcontextprotocol/sdk/types.js";

interface Extra {
  readonly signal: AbortSignal;
  readonly tell: (notification: ServerNotification) => Promise<void>;
  readonly token: string | number | undefined;
}

interface OddTool extends Partial<Tool> {
  readonly run: (args: Readonly<Record<string, unknown>>, extra: Extra) => CallToolResult | Promise<CallToolResult>;
}

const text = (said: string): CallToolResult => ({ content: [{ type: "text", text: said }] });
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const sound = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const weather = { temperature: 21, wind: { speed: 3 } };

let cancelled = 0;

function count(): number {
  const file = process.env["COUNT_FILE"] ?? "";
  appendFileSync(file, "x");
  return readFileSync(file, "utf8").length;
}

const tools: Record<string, OddTool> = {
  echo: {
    title: "Echo",
    description: "Says it again.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    annotations: { readOnlyHint: true },
    run: ({ text: said }) => text(`You said ${String(said)}.`),
  },
  picture: {
    title: "Draws and sings.",
    run: () => ({
      content: [
        { type: "text", text: "Look:" },
        { type: "image", data: pixel, mimeType: "image/png" },
        { type: "audio", data: sound, mimeType: "audio/wav" },
      ],
    }),
  },
  resources: {
    run: () => ({
      content: [
        { type: "resource", resource: { uri: "file:///notes.txt", mimeType: "text/plain", text: "A note." } },
        { type: "resource", resource: { uri: "file:///a.pdf", mimeType: "application/pdf", blob: "JVBERi0xLjQK" } },
        { type: "resource_link", uri: "file:///b.txt", name: "b", description: "Another note." },
      ],
    }),
  },
  structured: {
    outputSchema: { type: "object", properties: { temperature: { type: "number" } }, required: ["temperature"] },
    run: () => ({ content: [{ type: "text", text: JSON.stringify(weather, null, 2) }], structuredContent: weather }),
  },
  structured_alone: { run: () => ({ content: [], structuredContent: weather }) },
  structured_beside: {
    run: () => ({ content: [{ type: "text", text: "It is warm." }], structuredContent: weather }),
  },
  nothing: { run: () => ({ content: [] }) },
  fails: {
    annotations: { destructiveHint: false },
    run: () => ({ content: [{ type: "text", text: "No such city." }], isError: true }),
  },
  breaks: {
    run: () => {
      throw new McpError(ErrorCode.InternalError, "the disk is on fire");
    },
  },
  slow: {
    annotations: { destructiveHint: true },
    async run(_args, { signal, tell, token = "" }) {
      await tell({ method: "notifications/progress", params: { progress: 0, progressToken: token } });
      if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      cancelled++;
      return text("never heard");
    },
  },
  cancelled: { run: () => text(String(cancelled)) },
  steps: {
    async run(_args, { tell, token = "" }) {
      for (let progress = 1; progress <= 3; progress++) {
        const params = { progress, total: 3, message: `step ${progress}`, progressToken: token };
        await tell({ method: "notifications/progress", params });
        await pause(20);
      }
      return text("three steps");
    },
  },
  crash: {
    run: () => {
      count();
      process.exit(3);
    },
  },
  crash_once: {
    annotations: { idempotentHint: true },
    run: () => {
      const times = count();
      if (times === 1) process.exit(3);
      return text(`done the ${times}. time`);
    },
  },
  grow: {
    async run(_args, { tell }) {
      tools["grown"] = { description: "New.", run: () => text("grown") };
      delete tools["nothing"];
      await tell({ method: "notifications/tools/list_changed" });
      return text("grew");
    },
  },
  "files.read": { run: () => text("by dot") },
  files_read: { run: () => text("by underscore") },
  "读取 文件": { run: () => text("in Chinese") },
  [`long_${"x".repeat(80)}`]: { run: () => text("long") },
  odd_schema: {
    inputSchema: { type: "object", properties: { a: { $ref: "#/$defs/nowhere" } } },
    run: (args) => text(JSON.stringify(args)),
  },
};

const server = new Server({ name: "odd", version: "1.0.0" }, { capabilities: { tools: { listChanged: true } } });

server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
  const all = Object.entries(tools).map(([name, { title, description, inputSchema, outputSchema, annotations }]) => ({
    name,
    title,
    description,
    inputSchema: inputSchema ?? { type: "object" as const },
    outputSchema,
    annotations,
  }));
  const start = Number(params?.cursor ?? 0);
  const end = start + 8;
  return { tools: all.slice(start, end), ...(end < all.length && { nextCursor: String(end) }) };
});

server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
  const { name, arguments: args = {}, _meta } = params;
  const found = tools[name];
  if (found === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
  return found.run(args, { signal, tell: sendNotification, token: _meta?.progressToken });
});

await server.connect(new StdioServerTransport());
