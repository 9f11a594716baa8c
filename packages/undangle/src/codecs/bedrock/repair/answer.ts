import { isRecord } from "#core";
import type { Cause } from "#core";

import type { Range } from "../../codec.ts";
import { noteAnswer } from "../../note-answer.ts";
import { bodyOf } from "./block.ts";
import type { Context } from "./context.ts";

/** Adds a turn and the results for its open calls to a list, as the rules would. */
export function answerTurn(
  { start }: Range,
  input: readonly unknown[],
  list: unknown[],
  { policy, journal }: Context,
): void {
  const said = blocksOf(input[start + 1]);
  const rest = said.filter((block) => !isResult(block));
  const cause: Cause = rest.length > 0 ? "superseded" : "interrupted";
  const content: unknown[] = [];
  const at = list.length + 1;
  list.push(input[start], { role: "user", content });
  blocksOf(input[start]).forEach((block, place) => {
    const { toolUseId: id, name, input: args } = bodyOf(block, "toolUse");
    if (typeof id !== "string" || typeof name !== "string") return;
    const result = said.find((one) => isResult(one) && bodyOf(one, "toolResult")["toolUseId"] === id);
    if (result !== undefined) {
      content.push(result);
      return;
    }
    const call = { id, name, arguments: args, cause, position: start, language: policy.language };
    const after = { toolResult: { toolUseId: id, content: [{ text: policy.notice(call).text }], status: "error" } };
    const from = `messages[${start}].content[${place}]`;
    const to = `messages[${at}].content[${content.length}]`;
    content.push(after);
    noteAnswer({ id, name, from, to, after }, journal);
  });
  for (const block of rest) content.push(block);
}

const isResult = (block: unknown): boolean => isRecord(block) && "toolResult" in block;

/** The blocks of a message that the survey found valid. */
function blocksOf(message: unknown): readonly unknown[] {
  const content = isRecord(message) ? message["content"] : undefined;
  return Array.isArray(content) ? content : [];
}
