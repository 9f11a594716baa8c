import { isRecord, UndangleError } from "#core";

/** A client of an MCP server: from the MCP SDK (version 1 or 2), from the AI SDK, or any object with the same methods. */
export type McpClient = CallingClient | AiSdkMcpClient;

/**
 * A client that calls tools. It reports list changes and its end by `fallbackNotificationHandler` and `onclose`, like
 * the client of the MCP SDK.
 */
export interface CallingClient {
  listTools(params?: { readonly cursor?: string | undefined }): Promise<ListedPage>;
  callTool(params: McpCall, ...rest: never): Promise<unknown>;
}

/** One page of a server's tool list. */
export interface ListedPage {
  readonly tools: readonly ListedTool[];
  readonly nextCursor?: string | undefined;
}

/** A tool as described by a server. The description is not trusted. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
  readonly annotations?:
    | {
        readonly readOnlyHint?: boolean | undefined;
        readonly destructiveHint?: boolean | undefined;
        readonly idempotentHint?: boolean | undefined;
      }
    | undefined;
}

export interface McpCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** Options of a call. */
export interface McpCallOptions {
  readonly signal: AbortSignal;
  readonly onprogress: (progress: unknown) => void;
  readonly resetTimeoutOnProgress: boolean;
  readonly timeout?: number;
}

/** The given client as a calling client. Refuses any other value. */
export function readClient(client: unknown, option: string): CallingClient {
  const has = (method: string): boolean => isRecord(client) && typeof client[method] === "function";
  if (has("listTools") && has("toolsFromDefinitions")) return fromAiSdk(client as AiSdkMcpClient);
  if (has("listTools") && has("callTool")) return client as CallingClient; // nothing more can be checked here
  throw new UndangleError("options/value", {
    option,
    value: client,
    allowed: ["an MCP client, an object with the methods listTools and callTool"],
  });
}

/** Calls a tool. Version 1 of the SDK takes the options after a result schema, version 2 directly after the call. */
export async function callThrough(client: CallingClient, call: McpCall, options: McpCallOptions): Promise<unknown> {
  const rest: readonly unknown[] = client.callTool.length === 2 ? [options] : [undefined, options];
  return client.callTool(call, ...(rest as never)); // no single type fits both versions
}

const mostPages = 1000;

/** Lists all tools of a server, page by page. */
export async function listAll(client: CallingClient): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = [];
  const seen = new Set<string>();
  let page = await client.listTools();
  for (;;) {
    tools.push(...(Array.isArray(page.tools) ? page.tools : []).flatMap(listedTools));
    const { nextCursor: cursor } = page;
    if (cursor === undefined || cursor === "" || seen.has(cursor) || seen.size === mostPages) return tools;
    seen.add(cursor); // stops a server that repeats a page endlessly
    page = await client.listTools({ cursor });
  }
}

/** Servers and custom clients may return anything: entries without a name, and invalid fields, are ignored. */
function listedTools(listed: unknown): readonly ListedTool[] {
  if (!isRecord(listed) || typeof listed["name"] !== "string") return [];
  const { name, title, description, inputSchema, annotations } = listed;
  const hints = isRecord(annotations) ? annotations : {};
  return [
    {
      name,
      title: [title, hints["title"]].find((each) => typeof each === "string"),
      description: typeof description === "string" ? description : undefined,
      inputSchema,
      annotations: hints,
    },
  ];
}

/** The client that `createMCPClient()` of the AI SDK returns. */
export interface AiSdkMcpClient {
  listTools(options?: { readonly params?: { cursor?: string } }): Promise<ListedPage>;
  toolsFromDefinitions(definitions: never): object;
  close(): Promise<void>;
}

/** Adapts the client of the AI SDK, which can only call tools that it created from their definitions. */
function fromAiSdk(client: AiSdkMcpClient): CallingClient & Pick<AiSdkMcpClient, "close"> {
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
