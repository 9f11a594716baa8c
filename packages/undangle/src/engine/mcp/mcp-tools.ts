import { quiet, silent } from "../logger.ts";
import type { AnyTool } from "../tool.ts";
import type { ToolSource } from "../toolbox.ts";
import { createConnection, mcpTexts } from "./connection.ts";
import { makeListedTool, toolNameOf } from "./listed-tool.ts";
import { readClient } from "./mcp-client.ts";
import type { ListedTool, McpClient } from "./mcp-client.ts";
import { checkMcpNames, checkMcpOptions } from "./mcp-options.ts";
import type { McpOptions } from "./mcp-options.ts";

/** The tools of an MCP server, updated when its list changes. A source for the tools of an agent. */
export interface McpTools extends ToolSource {
  /** Reads the tools of the server now. Servers with list-change notifications do not need it. */
  refresh(): Promise<void>;
  /** Closes the client, and does not reconnect. */
  close(): Promise<void>;
}

/** Reads the tools of an MCP server through a connected client. */
export async function mcpTools(client: McpClient, options: McpOptions = {}): Promise<McpTools> {
  const calling = readClient(client, "client");
  checkMcpOptions(options);
  const { prefix = "", only, connect, language = "en" } = options;
  const logger = options.logger === undefined ? silent : quiet(options.logger);
  const texts = mcpTexts[language];
  const connection = createConnection(calling, { connect, texts, onListChange: () => void follow() });
  const onOddSchema = (name: string, reason: string): void =>
    logger.warn({ tool: name, reason }, "The schema of an MCP tool cannot be used; its arguments are not checked here");
  const known = new Set<string>(); // the names of the first list
  const isNew = (name: string): boolean => known.size > 0 && !known.has(name);
  const maker = { connection, options, texts, onOddSchema, isNew };
  let made: ReadonlyMap<string, Made> = new Map();
  let tools: readonly AnyTool[] = [];

  const take = (all: readonly ListedTool[]): void => {
    const listed = all.filter(({ name }) => only === undefined || only.includes(name));
    const now = new Map<string, Made>();
    for (const each of listed) {
      const name = toolNameOf(each.name, prefix);
      if (now.has(name)) {
        logger.warn({ tool: each.name }, "An MCP server lists two tools with the same name; the first is used");
        continue;
      }
      const written = JSON.stringify(each);
      const before = made.get(name);
      const same = before?.written === written ? before : undefined;
      now.set(name, same ?? { written, tool: makeListedTool(each, name, maker) });
    }
    const next = [...now.values()].map(({ tool }) => tool);
    made = now;
    const isSame = next.length === tools.length && next.every((tool, i) => tool === tools[i]);
    if (!isSame) tools = Object.freeze(next);
  };

  let isStale = false;
  let refreshing: Promise<void> | undefined;
  const refresh = async (): Promise<void> => {
    isStale = true; // also during a request, whose list may be outdated
    refreshing ??= (async () => {
      while (isStale) {
        isStale = false;
        take(await connection.list());
      }
    })().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };
  const follow = async (): Promise<void> => {
    try {
      await refresh();
    } catch (error) {
      logger.warn({ err: error }, "The tools of an MCP server could not be listed; the previous tools are kept");
    }
  };

  const first = await connection.list();
  checkMcpNames(options, first);
  for (const { name } of first) known.add(name);
  take(first);
  return { tools: () => tools, refresh, close: connection.close };
}

/** A tool and its definition. */
interface Made {
  readonly written: string;
  readonly tool: AnyTool;
}
