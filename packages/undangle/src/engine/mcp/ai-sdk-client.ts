import type { CallingClient, ListedPage, McpCall, McpCallOptions } from "./mcp-client.ts";

/** The client that `createMCPClient()` of the AI SDK returns. */
export interface AiSdkMcpClient {
  listTools(options?: { readonly params?: { cursor?: string } }): Promise<ListedPage>;
  toolsFromDefinitions(definitions: never): object;
  close(): Promise<void>;
}

/** Adapts the client of the AI SDK, which can only call tools that it created from their definitions. */
export function fromAiSdk(client: AiSdkMcpClient): CallingClient & Pick<AiSdkMcpClient, "close"> {
  const callTool = async ({ name, arguments: args }: McpCall, { signal }: McpCallOptions): Promise<unknown> => {
    const definition = { name, inputSchema: { type: "object", properties: {} } };
    const made = client.toolsFromDefinitions({ tools: [definition] } as never) as MadeTools; // the type of its tools
    return made[name]?.execute(args, { abortSignal: signal, toolCallId: name, messages: [] });
  };
  return {
    listTools: async ({ cursor } = {}) => client.listTools(cursor === undefined ? {} : { params: { cursor } }),
    callTool,
    close: async () => client.close(),
  };
}

type MadeTools = Readonly<Record<string, { execute(args: unknown, options: object): Promise<unknown> }>>;
