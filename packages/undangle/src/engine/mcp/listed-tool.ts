import { acceptsName, hashHex, isRecord, sanitise, UndangleError } from "#core";

import type { ToolAnnotations } from "../approvals/call-display.ts";
import { isNearName } from "../approvals/rules.ts";
import { thrownText } from "../result/thrown.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { tool } from "../tool.ts";
import type { AnyTool, ToolApproval } from "../tool.ts";
import { callResult } from "./call-result.ts";
import type { Connection, McpTexts } from "./connection.ts";
import type { ListedTool } from "./mcp-client.ts";
import type { McpOptions } from "./mcp-options.ts";

export interface ToolMaker {
  readonly connection: Connection;
  readonly options: McpOptions;
  readonly texts: McpTexts;
  /** Called for a schema that cannot validate arguments. */
  readonly onOddSchema: (name: string, reason: string) => void;
  /** True for a tool, by its server name, that was not in the first list of the server. */
  readonly isNew: (name: string) => boolean;
}

/** Creates a tool from a server's definition. */
export function makeListedTool(listed: ListedTool, name: string, maker: ToolMaker): AnyTool {
  const { connection, options, texts } = maker;
  const { timeout } = options;
  const isIdempotent = idempotentOf(listed, options.idempotent);
  const common = {
    name,
    approval: approvalOf(listed, options.approval, maker.isNew),
    idempotent: isIdempotent,
    annotations: annotationsOf(listed, options.annotations),
    ...(timeout !== undefined && { timeout }),
  };
  // If the engine enforces the timeout, the client must not time out earlier.
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
    return callResult(returned, texts);
  };
  const description = listed.description || listed.title || listed.name;
  const { inputSchema: schema } = listed;
  try {
    return tool({ ...common, description, input: isRecord(schema) ? schema : { type: "object" }, execute });
  } catch (error) {
    if (!(error instanceof UndangleError && error.is("tool/schema"))) throw error;
    maker.onOddSchema(listed.name, thrownText(error));
    const described = `${description}\n${texts.arguments(JSON.stringify(schema))}`;
    return tool({ ...common, description: described, input: { type: "object" }, execute }); // the server also validates arguments
  }
}

/** By default the server's hint, because a tool may have effects twice. */
function idempotentOf({ name, annotations = {} }: ListedTool, idempotent: McpOptions["idempotent"]): boolean {
  if (typeof idempotent === "boolean") return idempotent;
  if (idempotent !== undefined && Object.hasOwn(idempotent, name)) return idempotent[name] === true;
  return annotations.readOnlyHint === true || annotations.idempotentHint === true;
}

/** The hint that a tool is harmless counts only if the options request it, because a mode relies on it. */
function annotationsOf(
  { name, annotations: { readOnlyHint, destructiveHint } = {} }: ListedTool,
  given: McpOptions["annotations"] = {},
): ToolAnnotations | undefined {
  if (given !== "hints" && Object.hasOwn(given, name)) return given[name];
  const isTrusted = given === "hints";
  if (isTrusted && readOnlyHint === true) return { readOnly: true };
  const isDestructive = isTrusted ? destructiveHint !== false : destructiveHint === true; // by the protocol, a tool is destructive by default
  return isDestructive ? { destructive: true } : undefined;
}

/**
 * A server's hints about harmlessness count only if the options request them. If tools are named, a similar or later
 * name also needs approval, so that a server cannot evade the option.
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
  const near = gated.find(([named]) => isNearName(named, name))?.[1];
  if (near !== undefined) return withoutCondition(near);
  return gated.length > 0 && isNew(name);
}

/** The condition of a rule expects the arguments of another tool. */
function withoutCondition(approval: ToolApproval): ToolApproval {
  if (typeof approval === "boolean") return approval;
  const { when: _, ...rest } = approval;
  return rest;
}

/** The tool names that every provider accepts. */
const legal = { pattern: /^[a-zA-Z0-9_-]+$/u, first: /^[a-zA-Z_]/u, longest: 64 };
const mark = 8;

/**
 * A tool name that every provider accepts. It depends only on the server's name for the tool, because a pending call is
 * identified by it and may be approved after the server has changed its list. A name that had to be changed therefore
 * always has a hash suffix.
 */
export function toolNameOf(name: string, prefix: string): string {
  const whole = prefix + name;
  if (acceptsName(whole, legal)) return whole;
  const stem = sanitise(whole, { ...legal, longest: Infinity }).slice(0, legal.longest - mark - 1);
  return `${stem}_${hashHex(name).slice(0, mark)}`;
}
