import type { CallingClient, ListedPage, McpCall, McpCallOptions } from "./mcp-client.ts";

/** The client that `createMCPClient()` of the AI SDK gives. */
export interface AiSdkMcpClient {
  listTools(options?: { readonly params?: { cursor?: string } }): Promise<ListedPage>;
  toolsFromDefinitions(definitions: never): object;
  close(): Promise<void>;
}

/** The client of the AI SDK as others are. It calls a tool only by what it has made of its definition. */
export function fromAiSdk(client: AiSdkMcpClient): CallingClient & Pick<AiSdkMcpClient, "close"> {
  const callTool = async ({ name, arguments: args }: McpCall, { signal }: McpCallOptions): Promise<unknown> => {
    const definition = { name, inputSchema: { type: "object", properties: {} } };
    const made = client.toolsFromDefinitions({ tools: [definition] } as never) as MadeTools; // that is what it makes
    return made[name]?.execute(args, { abortSignal: signal, toolCallId: name, messages: [] });
  };
  return {
    listTools: async ({ cursor } = {}) => client.listTools(cursor === undefined ? {} : { params: { cursor } }),
    callTool,
    close: async () => client.close(),
  };
}

type MadeTools = Readonly<Record<string, { execute(args: unknown, options: object): Promise<unknown> }>>;
