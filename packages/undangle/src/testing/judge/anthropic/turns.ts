import { dotted, isRecord, listOf, recordOf, type Loose } from "../loose.ts";

/** A block of a message and its path. A value that is not an object reads as a block without keys. */
export interface Block {
  readonly path: string;
  readonly block: Loose;
  readonly isObject: boolean;
}

/** Consecutive messages of one role: the API reads them as one message. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly path: string;
  readonly blocks: readonly Block[];
}

/** The turns of a message list. Messages of other roles belong to none. */
export function turnsOf(messages: readonly unknown[]): readonly Turn[] {
  const turns: { role: Turn["role"]; path: string; blocks: Block[] }[] = [];
  for (const [index, raw] of messages.entries()) {
    const message = recordOf(raw);
    const role = message["role"];
    if (role !== "user" && role !== "assistant") continue;
    const blocks = blocksOf(message, `messages[${index}].content`);
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, path: `messages[${index}]`, blocks });
  }
  return turns;
}

/** The blocks of one message. A non-empty string is one text block. */
export function blocksOf(message: Loose, path: string): Block[] {
  const content = message["content"];
  if (typeof content === "string") {
    return content === "" ? [] : [{ path, block: { type: "text", text: content }, isObject: true }];
  }
  return listOf(content).map((block, index) => {
    return { path: `${path}[${index}]`, block: recordOf(block), isObject: isRecord(block) };
  });
}

/** True for the result of a server tool, such as web_search_tool_result. */
export function isServerResult(block: Loose): boolean {
  const type = block["type"];
  return typeof type === "string" && type.endsWith("_tool_result") && type !== "mcp_tool_result";
}

/** A path in the notation of the API: with dots, and with the type of a result before its content. */
export const placeOf = (path: string): string =>
  dotted(path).replace(/(content\.\d+)\.content/, "$1.tool_result.content");

/** The message of a path in the notation of the API: `messages.1`. */
export const messageOf = (path: string): string => dotted(/^messages\[\d+\]/.exec(path)?.[0] ?? "messages");

/** Why a value is not a text of 1 to `most` characters. */
export function wrongText(value: unknown, most?: number): string {
  if (value === undefined) return "Field required";
  if (typeof value !== "string") return "Input should be a valid string";
  return value === ""
    ? "String should have at least 1 character"
    : `String should have at most ${most ?? 0} characters`;
}
