import type { Edit } from "#core";

import type { AssistantPart, CompleteConversation, Message } from "./conversation.ts";
import { renameResult } from "./results.ts";

/** The tool names before the repair of the source format, which does not know the rules of the target. */
export interface Renames {
  /** By a path that contains the name. */
  readonly calls: ReadonlyMap<string, string>;
  /** The tools that the repair declared for them, by their new names. */
  readonly tools: ReadonlyMap<string, string>;
}

/** True for an edit that renamed a call because its name is refused. */
export const isRename = ({ rule, before }: Edit): boolean => rule === "invalid-name" && typeof before === "string";

/** Collects the original names of calls. */
export function renamesOf(edits: readonly Edit[]): Renames {
  const calls = new Map<string, string>();
  const tools = new Map<string, string>();
  const hasDeclared = edits.some(({ rule }) => rule === "missing-tools");
  for (const edit of edits) {
    const { before, after, to = "" } = edit;
    if (!isRename(edit) || typeof before !== "string") continue;
    if (hasDeclared && typeof after === "string") tools.set(after, before);
    for (let path = to; path.includes(".");) {
      path = path.slice(0, path.lastIndexOf("."));
      calls.set(path, before);
      if (path.endsWith("]")) break; // the call itself, or its message
    }
  }
  return { calls, tools };
}

/** Restores the original names of calls and of their results. */
export function undoRenames(conversation: CompleteConversation, { calls, tools }: Renames): CompleteConversation {
  if (calls.size === 0) return conversation;
  const names = new Map<string, string>();
  const restore = (part: AssistantPart): AssistantPart => {
    if (part.type !== "call") return part;
    const name = calls.get(part.path) ?? part.name;
    names.set(part.id ?? "", name);
    return { ...part, name };
  };
  const messages = conversation.messages.map((message): Message => {
    if (message.role === "assistant") return { ...message, parts: message.parts.map(restore) };
    if (message.role !== "tool") return message;
    const results = message.results.map((result) => {
      const name = names.get(result.id ?? "");
      return name === undefined ? result : renameResult(result, name);
    });
    return { ...message, results };
  });
  const { setting } = conversation;
  const declared = setting?.tools.map((tool) => ({ ...tool, name: tools.get(tool.name) ?? tool.name }));
  return { ...conversation, messages, setting: setting && { ...setting, tools: declared ?? [] } };
}
