import { isRecord } from "#core";
import type { Cause, JsonObject } from "#core";

import type { Range } from "../../codec.ts";
import { noteAnswer } from "../../note-answer.ts";
import type { Context } from "./context.ts";

/** Adds a turn and the results for its open calls to a list, as the rules would. */
export function answerTurn(
  { start, end }: Range,
  input: readonly unknown[],
  list: unknown[],
  { policy, journal }: Context,
): void {
  const blocks = blocksOf(input[start]);
  const said = blocksOf(input[start + 1]);
  const isTogether = said[0]?.["type"] === "tool_result";
  const rest = isTogether ? said.filter(({ type }) => type !== "tool_result") : [];
  const cause: Cause = (isTogether ? rest.length > 0 || start + 2 < end : start + 1 < end)
    ? "superseded"
    : "interrupted";
  const content: unknown[] = [];
  const at = list.length + 1;
  list.push(input[start], { role: "user", content });
  blocks.forEach(({ type, id, name, input: args }, place) => {
    if (type !== "tool_use" || typeof id !== "string" || typeof name !== "string") return;
    const result = isTogether ? said.find(({ tool_use_id }) => tool_use_id === id) : undefined;
    if (result !== undefined) {
      content.push(result);
      return;
    }
    const call = { id, name, arguments: args, cause, position: start, language: policy.language };
    const after = { type: "tool_result", tool_use_id: id, content: policy.notice(call).text, is_error: true };
    const from = `messages[${start}].content[${place}]`;
    const to = `messages[${at}].content[${content.length}]`;
    content.push(after);
    noteAnswer({ id, name, from, to, after }, journal);
  });
  for (const block of rest) content.push(block);
  for (let i = isTogether ? start + 2 : start + 1; i < end; i++) list.push(input[i]);
}

/** The blocks of a message that the survey found valid. */
function blocksOf(message: unknown): readonly JsonObject[] {
  const content = isRecord(message) ? message["content"] : undefined;
  return Array.isArray(content) ? (content as readonly JsonObject[]) : []; // each is known to be an object
}
