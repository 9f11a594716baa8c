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
import { isNearly } from "../approvals/near-names.ts";

export interface ToolMaker {
  readonly connection: Connection;
  readonly options: McpOptions;
  readonly words: McpWords;
  /** The schema of a tool is none that arguments can be checked by. */
  readonly onOddSchema: (name: string, reason: string) => void;
  /** True for a tool that the server did not have when it was asked first, by its name there. */
  readonly isNew: (name: string) => boolean;
}

/** Makes a tool of what a server says of one. */
export function makeListedTool(listed: ListedTool, name: string, maker: ToolMaker): AnyTool {
  const { connection, options, words } = maker;
  const { timeout } = options;
  const isIdempotent = idempotentOf(listed, options.idempotent);
  const common = {
    name,
    approval: approvalOf(listed, options.approval, maker.isNew),
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

/**
 * What a server says of its own harmlessness counts only for those who have asked for that. Where tools are named, a server must not get
 * round that by another name: a tool that is named nearly so, or that comes later, waits too.
 */
function approvalOf(
  { name, annotations = {} }: ListedTool,
  approval: McpOptions["approval"] = false,
  isNew: ToolMaker["isNew"],
): ToolApproval {
  if (typeof approval === "boolean") return approval;
  if (approval === "destructive") return annotations.readOnlyHint !== true && annotations.destructiveHint !== false;
  if (Object.hasOwn(approval, name)) return approval[name] ?? false;
  const gated = Object.entries(approval).filter(([, each]) => each !== false);
  const near = gated.find(([named]) => isNearly(named, name))?.[1];
  if (near !== undefined) return withoutCondition(near);
  return gated.length > 0 && isNew(name);
}

/** The condition of a rule is about the arguments of another tool. */
function withoutCondition(approval: ToolApproval): ToolApproval {
  if (typeof approval === "boolean") return approval;
  const { when: _, ...rest } = approval;
  return rest;
}
