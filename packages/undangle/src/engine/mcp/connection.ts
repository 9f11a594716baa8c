import { setTimeout as pause } from "node:timers/promises";

import type { Language } from "#core";

import { thrownText } from "../result/thrown.ts";
import { failureOf } from "./call-failure.ts";
import type { CallFailure } from "./call-failure.ts";
import { callThrough, listAll, readClient } from "./mcp-client.ts";
import type { CallingClient, ListedTool, McpCall, McpCallOptions, McpClient } from "./mcp-client.ts";

/** A connection to a server, which may be reopened. */
export interface Connection {
  readonly list: () => Promise<readonly ListedTool[]>;
  /** The result of a call. Throws an error for the model, which states if the outcome is unknown. */
  readonly call: (given: Call) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export interface Call {
  /** The tool name for the model. */
  readonly tool: string;
  readonly call: McpCall;
  readonly options: McpCallOptions;
  /** True if two executions have the effect of one. */
  readonly isIdempotent: boolean;
}

export interface ConnectionOptions {
  readonly connect: (() => McpClient | Promise<McpClient>) | undefined;
  readonly texts: McpTexts;
  /** Called when the server reports new tools, or a new server is connected. */
  readonly onListChange: () => void;
}

export function createConnection(
  first: CallingClient,
  { connect, texts, onListChange }: ConnectionOptions,
): Connection {
  const onNotification = (link: ClientLink): void => {
    if (link === current) onListChange();
  };
  let current = linkClient(first, onNotification);
  let isOver = false;
  let openings = 0;
  let reopening: Promise<ClientLink> | undefined;
  const canReopen = (): boolean => connect !== undefined && !isOver;
  /** Concurrent calls share one attempt. */
  const reopen = async (): Promise<ClientLink> => {
    reopening ??= opened(connect, () => isOver)
      .then((client) => {
        const { client: old } = current;
        if (old === client) current.isClosed = false;
        else {
          current = linkClient(client, onNotification);
          closeClient(old).catch(() => undefined); // the old client is unusable anyway
        }
        openings++;
        onListChange();
        return current;
      })
      .finally(() => {
        reopening = undefined;
      });
    return reopening;
  };
  const live = async (): Promise<ClientLink> => (current.isClosed && canReopen() ? reopen() : current);

  return {
    async list() {
      const link = await live();
      const tools = await listAll(link.client);
      link.isClosed = false;
      return tools;
    },
    async call(given) {
      const { tool, isIdempotent } = given;
      const before = openings;
      const link = await live().catch((error: unknown) => {
        throw errorFor({ failure: "unsent", error }, tool, texts);
      });
      const isReopened = openings > before; // one new connection per call is enough
      const sent = await send(link, given);
      if (!("failure" in sent)) return sent.result;
      const mayRepeat = sent.failure === "unsent" || (sent.failure === "lost" && isIdempotent);
      if (isReopened || !mayRepeat || !canReopen()) throw errorFor(sent, tool, texts);
      // If the call may have run, no later error can change that.
      const fail = (later: Unanswered): Error => errorFor(sent.failure === "unsent" ? later : sent, tool, texts);
      const isOpenAgain = openings > before; // another call has reopened it
      const next = await (isOpenAgain ? live() : reopen()).catch((error: unknown) => {
        throw fail({ failure: "unsent", error });
      });
      const again = await send(next, given);
      if ("failure" in again) throw fail(again);
      return again.result;
    },
    async close() {
      isOver = true;
      await closeClient(current.client);
    },
  };
}

/** Milliseconds before each attempt to open a connection. */
const waits = [0, 250, 1000];

async function opened(connect: ConnectionOptions["connect"], isOver: () => boolean): Promise<CallingClient> {
  let fault: unknown = new Error("closed");
  for (const wait of waits) {
    if (wait > 0) await pause(wait);
    if (connect === undefined || isOver()) break;
    try {
      return readClient(await connect(), "the result of connect()");
    } catch (error) {
      fault = error;
    }
  }
  throw fault;
}

/** The outcome of sending a call. */
type Sent = { readonly result: unknown } | Unanswered;

interface Unanswered {
  readonly failure: Exclude<CallFailure, "answered">;
  readonly error: unknown;
}

async function send(link: ClientLink, { call, options }: Call): Promise<Sent> {
  options.signal.throwIfAborted(); // the call may have been aborted while the connection was opened
  const before = link.closings;
  try {
    const result = await callThrough(link.client, call, options);
    link.isClosed = false; // the owner of the client has reconnected it
    return { result };
  } catch (error) {
    const failure = options.signal.aborted ? "answered" : failureOf(error, link.closings > before);
    if (failure === "answered") throw withoutRepeatedCode(error);
    return { failure, error };
  }
}

function errorFor({ failure, error }: Unanswered, tool: string, texts: McpTexts): Error {
  const text = failure === "unsent" ? texts.away(tool, thrownText(error)) : texts[failure](tool);
  return new Error(text, { cause: error });
}

/** Both sides of the SDK put the error number before the message. */
function withoutRepeatedCode(error: unknown): unknown {
  const text = thrownText(error);
  const once = text.replace(/^(MCP error -?\d+: )\1+/u, "$1");
  return once === text ? error : new Error(once, { cause: error });
}

/** A client and its connection state. */
export interface ClientLink {
  readonly client: CallingClient;
  /** True if it reported its end, and nothing arrived since. */
  isClosed: boolean;
  /** The number of closings: its owner may reconnect it. */
  closings: number;
}

/** Listens to a client without replacing other listeners. */
function linkClient(
  client: CallingClient & NotificationHandlers,
  onListChange: (link: ClientLink) => void,
): ClientLink {
  const link: ClientLink = { client, isClosed: false, closings: 0 };
  if (typeof client.setNotificationHandler !== "function") return link; // the client has no notifications
  const { onclose, fallbackNotificationHandler: fallback } = client;
  Object.assign(client, {
    onclose: () => {
      link.isClosed = true;
      link.closings++;
      onclose?.call(client);
    },
    // The handler of a method belongs to the owner and needs a schema of the SDK; the fallback gets unhandled notifications.
    fallbackNotificationHandler: async (notification) => {
      if (notification.method === "notifications/tools/list_changed") onListChange(link);
      await fallback?.call(client, notification);
    },
  } satisfies NotificationHandlers);
  return link;
}

/** The handlers that the client of the SDK accepts. */
interface NotificationHandlers {
  readonly setNotificationHandler?: unknown;
  readonly onclose?: ((this: unknown) => void) | undefined;
  readonly fallbackNotificationHandler?:
    | ((this: unknown, notification: { readonly method: string }) => Promise<void>)
    | undefined;
}

/** Closes a client that can be closed. */
async function closeClient(client: CallingClient & { close?(): Promise<void> }): Promise<void> {
  await client.close?.();
}

const english = {
  away: (tool: string, reason: string) => `${tool} was not executed - its MCP server cannot be reached: ${reason}`,
  lost: (tool: string) => `The connection to the MCP server broke while ${tool} was running. Its outcome is unknown.`,
  late: (tool: string) => `The MCP server did not respond in time. The outcome of ${tool} is unknown.`,
  failed: "The tool failed without a message.",
  unreadable: (mediaType: string) => `[${mediaType}: could not be read]`,
  arguments: (schema: string) => `Arguments, as described by its server: ${schema}`,
};

/** The errors for the model about an MCP server. */
export type McpTexts = typeof english;

const chinese: McpTexts = {
  away: (tool, reason) => `${tool} 未被执行——无法连接到其 MCP 服务器：${reason}`,
  lost: (tool) => `${tool} 执行期间与 MCP 服务器的连接中断，其结果未知。`,
  late: (tool) => `MCP 服务器未能及时响应，${tool} 的结果未知。`,
  failed: "工具执行失败，没有说明原因。",
  unreadable: (mediaType) => `[${mediaType}，无法读取]`,
  arguments: (schema) => `其服务器对参数的说明：${schema}`,
};

export const mcpTexts: Readonly<Record<Language, McpTexts>> = { en: english, zh: chinese };
