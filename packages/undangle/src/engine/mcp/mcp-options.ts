import { isRecord, languages, UndangleError } from "#core";
import type { Language } from "#core";

import type { ToolAnnotations } from "../approvals/call-display.ts";
import { checkedOptions, keysOf } from "../checked-options.ts";
import type { OptionCheck } from "../checked-options.ts";
import type { Logger } from "../logger.ts";
import type { ToolApproval } from "../tool.ts";
import type { ListedTool, McpClient } from "./mcp-client.ts";

export interface McpOptions {
  /** The prefix of every tool name, so that servers cannot clash: `files_`. */
  readonly prefix?: string | undefined;
  /** The server names of the tools to use. All by default. */
  readonly only?: readonly string[] | undefined;
  /**
   * Which calls need approval: all, none, those of named tools (by their server names), or with `"destructive"` all but
   * those of tools that the server marks as read-only or non-destructive. By default none.
   */
  readonly approval?: boolean | "destructive" | Readonly<Record<string, ToolApproval>> | undefined;
  /** Which tools may run twice: all, or by their server names. By default the server's hint. */
  readonly idempotent?: boolean | Readonly<Record<string, boolean>> | undefined;
  /**
   * What the tools do, for the modes of runs: by their server names, or `"hints"` to believe the server's hints. By
   * default only its hint that a tool is destructive counts, so that no tool of a server is offered as read-only.
   */
  readonly annotations?: "hints" | Readonly<Record<string, ToolAnnotations>> | undefined;
  /** Milliseconds per call. By default the limit of the client, which progress extends. */
  readonly timeout?: number | undefined;
  /** Opens a new connection after the previous one has closed. */
  readonly connect?: (() => McpClient | Promise<McpClient>) | undefined;
  /** The language of errors for the model. */
  readonly language?: Language | undefined;
  readonly logger?: Logger | undefined;
}

const checks: Readonly<Record<keyof McpOptions, OptionCheck>> = {
  prefix: {
    values: ["letters (a to z), digits, _ and -, at most 40, not beginning with a digit or -"],
    fits: (value) => typeof value === "string" && /^(?:[a-zA-Z_][a-zA-Z0-9_-]{0,39})?$/u.test(value),
  },
  only: {
    values: ["a list of names"],
    fits: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  },
  approval: {
    values: ['true, false, "destructive", or an object with names of tools'],
    fits: (value) => typeof value === "boolean" || value === "destructive" || isRecord(value),
  },
  idempotent: {
    values: ["true, false, or an object with names of tools"],
    fits: (value) =>
      typeof value === "boolean" ||
      (isRecord(value) && Object.values(value).every((each) => typeof each === "boolean")),
  },
  annotations: {
    values: ['"hints", or an object with names of tools'],
    fits: (value) => value === "hints" || (isRecord(value) && Object.values(value).every(isRecord)),
  },
  timeout: {
    values: ["milliseconds from 1 to 2147483647"],
    fits: (value) => typeof value === "number" && value > 0 && value < 2 ** 31,
  },
  connect: { values: ["a function"], fits: (value) => typeof value === "function" },
  language: { values: [languages.join(", ")], fits: (value) => languages.some((each) => each === value) },
  logger: { values: ["an object with the methods info, warn and error"], fits: isRecord },
};

/** Throws for unknown options and invalid values. */
export const checkMcpOptions = (options: McpOptions): McpOptions => checkedOptions(options, keysOf(checks), checks);

/** Throws for tool names that the server does not have, because a misspelt rule protects nothing. */
export function checkMcpNames(options: McpOptions, listed: readonly ListedTool[]): void {
  const { only, approval, idempotent, annotations } = options;
  const names = listed.map(({ name }) => name);
  const refuse = (option: string, given: readonly string[]): void => {
    const wrong = given.find((name) => !names.includes(name));
    if (wrong !== undefined) throw new UndangleError("options/value", { option, value: wrong, allowed: names });
  };
  refuse("only", only ?? []);
  if (isRecord(approval)) refuse("approval", Object.keys(approval));
  if (isRecord(idempotent)) refuse("idempotent", Object.keys(idempotent));
  if (isRecord(annotations)) refuse("annotations", Object.keys(annotations));
}
