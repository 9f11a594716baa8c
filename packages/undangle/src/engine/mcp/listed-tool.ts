import { isRecord, UndangleError } from "#core";

import { thrownText } from "../result/thrown-text.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { tool } from "../tool.ts";
import type { AnyTool, ToolApproval } from "../tool.ts";
import { callResult } from "./call-result.ts";
import type { Connection } from "./connection.ts";
import type { ListedTool } from "./mcp-client.ts";
import type { McpOptions } from "./mcp-options.ts";
import type { McpWords } from "./mcp-words.ts";

export interface ToolMaker {
  readonly connection: Connection;
  readonly options: McpOptions;
  readonly words: McpWords;
  /** The schema of a tool is none that arguments can be checked by. */
  readonly onOddSchema: (name: string, reason: string) => void;
}

/** Makes a tool of what a server says of one. */
export function makeListedTool(listed: ListedTool, name: string, maker: ToolMaker): AnyTool {
  const { connection, options, words } = maker;
  const { timeout } = options;
  const isIdempotent = idempotentOf(listed, options.idempotent);
  const common = {
    name,
    approval: approvalOf(listed, options.approval),
    idempotent: isIdempotent,
    ...(timeout !== undefined && { timeout }),
  };
  // Where the engine looks at the clock, the client must not give up before.
  const patience = timeout === undefined ? {} : { timeout: 2 ** 31 - 1 };
  const execute: Parameters<typeof tool<JsonSchema>>[0]["execute"] = async (args, context) => {
    const { signal } = context;
    const onprogress = (progress: unknown): void => context.progress(progress);
    const returned = await connection.call({
      tool: name,
      call: { name: listed.name, arguments: args },
      options: { signal, onprogress, resetTimeoutOnProgress: true, ...patience },
      isIdempotent,
    });
    return callResult(returned, words);
  };
  const description = listed.description || listed.title || listed.name;
  const { inputSchema: schema } = listed;
  try {
    return tool({ ...common, description, input: isRecord(schema) ? schema : { type: "object" }, execute });
  } catch (error) {
    if (!(error instanceof UndangleError && error.is("tool/schema"))) throw error;
    maker.onOddSchema(listed.name, thrownText(error));
    const told = `${description}\n${words.arguments(JSON.stringify(schema))}`;
    return tool({ ...common, description: told, input: { type: "object" }, execute }); // the server checks arguments, too
  }
}

/** By default as the server says: it could do things twice by itself. */
function idempotentOf({ name, annotations = {} }: ListedTool, idempotent: McpOptions["idempotent"]): boolean {
  if (typeof idempotent === "boolean") return idempotent;
  if (idempotent !== undefined && Object.hasOwn(idempotent, name)) return idempotent[name] === true;
  return annotations.readOnlyHint === true || annotations.idempotentHint === true;
}

/** What a server says of its own harmlessness counts only for those who have asked for that. */
function approvalOf({ name, annotations = {} }: ListedTool, approval: McpOptions["approval"] = false): ToolApproval {
  if (typeof approval === "boolean") return approval;
  if (approval === "destructive") return annotations.readOnlyHint !== true && annotations.destructiveHint !== false;
  return (Object.hasOwn(approval, name) ? approval[name] : undefined) ?? false;
}
