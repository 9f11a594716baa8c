import type { Edit } from "#core";

import type { RepairOptions } from "../options.ts";
import { repair, repairAsync } from "../repair.ts";
import type { Message } from "./conversation.ts";
import { distinctIds } from "./distinct-ids.ts";
import { createSketch } from "./sketch.ts";

/** How messages are mended: as a history in a format would be. */
export type MendOptions<Notice = string> = Omit<RepairOptions<Notice>, "format" | "provider" | "model">;

export interface MendedMessages {
  /** The same list when nothing was wrong with it. */
  readonly messages: readonly Message[];
  readonly edits: readonly Edit[];
}

/**
 * Messages in which every call has one result, right behind it and in its order, whatever somebody has cut out of them, put
 * elsewhere or doubled.
 */
export function mendMessages(messages: readonly Message[], options: MendOptions = {}): MendedMessages {
  if (messages.length === 0) return { messages, edits: [] };
  const sketch = createSketch(messages);
  const { output, edits } = repair(sketch.list, { ...options, format: "openai-chat" });
  return distinctIds({ messages: edits.length === 0 ? messages : sketch.finish(output), edits });
}

/** The same for notice generators that return promises. */
export async function mendMessagesAsync(
  messages: readonly Message[],
  options: MendOptions<string | Promise<string>> = {},
): Promise<MendedMessages> {
  if (messages.length === 0) return { messages, edits: [] };
  const sketch = createSketch(messages);
  const { output, edits } = await repairAsync(sketch.list, { ...options, format: "openai-chat" });
  return distinctIds({ messages: edits.length === 0 ? messages : sketch.finish(output), edits });
}
