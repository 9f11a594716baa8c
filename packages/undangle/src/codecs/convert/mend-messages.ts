import type { Edit } from "#core";

import type { RepairOptions } from "../options.ts";
import { repair, repairAsync } from "../repair.ts";
import type { Repaired } from "../repair.ts";
import type { Message } from "./conversation.ts";
import { distinctIds } from "./distinct-ids.ts";
import { createSketch } from "./sketch.ts";
import type { Sketch } from "./sketch.ts";

/** Repair options, as for a history of a format. */
export type MendOptions<Notice = string> = Omit<RepairOptions<Notice>, "format" | "provider" | "model">;

export interface MendedMessages {
  /** The same list if nothing changed. */
  readonly messages: readonly Message[];
  readonly edits: readonly Edit[];
}

/**
 * Messages with one result per call, directly after it and in call order, regardless of what was removed, moved or
 * duplicated.
 */
export function mendMessages(messages: readonly Message[], options: MendOptions = {}): MendedMessages {
  return distinctIds(pairMessages(messages, options));
}

/** The same with ids that may restart in every turn. */
export function pairMessages(messages: readonly Message[], options: MendOptions): MendedMessages {
  if (messages.length === 0) return { messages, edits: [] };
  const tidy = withOneBlock(messages);
  const sketch = createSketch(tidy);
  return finished(tidy, sketch, repair(sketch.list, { ...options, format: "openai-chat" }));
}

/** The messages of a repaired sketch. They keep their names, because the target decides which names are valid. */
function finished(
  messages: readonly Message[],
  { finish, shown }: Sketch,
  { output, edits }: Repaired<Sketch["list"]>,
): MendedMessages {
  if (edits.length === 0) return { messages, edits };
  return { messages: finish(output), edits: edits.filter(({ rule }) => rule !== "invalid-name").map(shown) };
}

/** The same for notice generators that return promises. */
export async function mendMessagesAsync(
  messages: readonly Message[],
  options: MendOptions<string | Promise<string>> = {},
): Promise<MendedMessages> {
  if (messages.length === 0) return { messages, edits: [] };
  const tidy = withOneBlock(messages);
  const sketch = createSketch(tidy);
  return distinctIds(finished(tidy, sketch, await repairAsync(sketch.list, { ...options, format: "openai-chat" })));
}

/**
 * Merges the results of a turn into one message, and removes empty messages. Returns the same list if nothing changes.
 */
function withOneBlock(messages: readonly Message[]): readonly Message[] {
  const isTidy = messages.every(
    (each, i) => each.role !== "tool" || (each.results.length > 0 && messages[i - 1]?.role !== "tool"),
  );
  if (isTidy) return messages;
  const joined: Message[] = [];
  for (let i = 0; i < messages.length; i++) {
    const each = messages[i];
    if (each?.role !== "tool") {
      if (each !== undefined) joined.push(each);
      continue;
    }
    const block = [each];
    for (let next = messages[i + 1]; next?.role === "tool"; next = messages[++i + 1]) block.push(next);
    const filled = block.filter(({ results }) => results.length > 0);
    const [first] = filled;
    if (first === undefined) continue;
    joined.push(filled.length === 1 ? first : { ...first, results: filled.flatMap(({ results }) => results) });
  }
  return joined;
}
