import { isRecord } from "#core";

import type { Range } from "../../codec.ts";
import { noteAnswer } from "../../note-answer.ts";
import { isClientCall, isType, partsOf } from "./message.ts";
import type { Context } from "./message.ts";

/** Adds a turn and the results for its open calls to a list, as the rules would. */
export function answerTurn(
  { start, end }: Range,
  input: readonly unknown[],
  list: unknown[],
  { policy, journal, outlook }: Context,
): void {
  const tool = start + 1 < end ? input[start + 1] : undefined;
  const results = (partsOf(tool) ?? []).filter(isRecord);
  const cause = outlook(end) === "user" ? "superseded" : "interrupted";
  const content: unknown[] = [];
  const { language } = policy;
  list.push(input[start]);
  const at = list.length;
  partsOf(input[start])?.forEach((part, place) => {
    if (!isClientCall(part)) return;
    const { toolCallId: id, toolName: name } = part as { readonly toolCallId: string; readonly toolName: string }; // checked by the survey
    const result = results.find((each) => isType(each, "tool-result") && each["toolCallId"] === id);
    if (result !== undefined) {
      content.push(result);
      return;
    }
    const { text } = policy.notice({ id, name, arguments: part["input"], cause, position: start, language });
    const after = { type: "tool-result", toolCallId: id, toolName: name, output: { type: "error-text", value: text } };
    const from = `messages[${start}].content[${place}]`;
    const to = `messages[${at}].content[${content.length}]`;
    content.push(after);
    noteAnswer({ id, name, from, to, after }, journal);
  });
  list.push({ ...(isRecord(tool) ? tool : {}), role: "tool", content });
}
