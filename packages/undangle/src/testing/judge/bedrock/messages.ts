import { listOf, recordOf, type Loose, shown } from "../loose.ts";

/** A message of a Converse request. */
export interface Message {
  readonly index: number;
  readonly path: string;
  readonly role: string;
  readonly raw: Loose;
  /** A value that is not an object reads as a block without keys. A string instead of the list reads as one block. */
  readonly blocks: readonly Loose[];
}

/** The messages of a list. */
export function messagesIn(list: readonly unknown[]): readonly Message[] {
  return list.map((each, index) => {
    const raw = recordOf(each);
    const content = raw["content"];
    const blocks = typeof content === "string" && content !== "" ? [{ text: content }] : listOf(content).map(recordOf);
    return { index, path: `messages[${index}]`, role: shown(raw["role"]), raw, blocks };
  });
}

/** The calls of client tools in a message. */
export function usesOf(message: Message | undefined): readonly Loose[] {
  if (message?.role !== "assistant") return [];
  return message.blocks
    .filter((block) => "toolUse" in block)
    .map((block) => recordOf(block["toolUse"]))
    .filter((use) => use["type"] !== "server_tool_use");
}

/** The results of client tools in a message. */
export function resultsOf(message: Message | undefined): readonly Loose[] {
  if (message?.role !== "user") return [];
  return message.blocks.filter((block) => "toolResult" in block).map((block) => recordOf(block["toolResult"]));
}
