import { isRecord, wordOf } from "#core";

import type { Range } from "../../codec.ts";
import { noteAnswer } from "../../note-answer.ts";
import { argumentsKey } from "./calls.ts";
import type { Context } from "./context.ts";
import { isCall, isMessage, isOutput, sideOf } from "./item.ts";
import type { Item } from "./item.ts";

/** Adds a turn and the results for its open calls to a list, as the rules would. */
export function answerTurn(
  { start, end }: Range,
  input: readonly unknown[],
  list: unknown[],
  { policy, journal, outlook }: Context,
): void {
  let outputs = start;
  for (; outputs < end && !isOutput(itemAt(input, outputs)); outputs++) list.push(input[outputs]);
  const cause = outlook(end) === "user" ? "superseded" : "interrupted";
  for (let position = start; position < outputs; position++) {
    const item = itemAt(input, position);
    if (!isCall(item)) continue;
    const { call_id: id, name } = item as { readonly call_id: string; readonly name: string }; // checked too
    const output = outputFor(id, input, outputs, end);
    if (output !== undefined) {
      list.push(output);
      continue;
    }
    const args = item[argumentsKey(item)];
    const { text } = policy.notice({ id, name, arguments: args, cause, position, language: policy.language });
    const type = item["type"] === "custom_tool_call" ? "custom_tool_call_output" : "function_call_output";
    const after = { type, call_id: id, output: text };
    const to = `input[${list.length}]`;
    list.push(after);
    noteAnswer({ id, name, from: `input[${position}]`, to, after }, journal);
  }
}

const itemAt = (input: readonly unknown[], index: number): Item => input[index] as Item; // checked by the survey

function outputFor(id: string, input: readonly unknown[], start: number, end: number): Item | undefined {
  for (let i = start; i < end; i++) if (itemAt(input, i)["call_id"] === id) return itemAt(input, i);
  return undefined;
}

/** The role of an item: user, model, or neither. */
export function speakerOf(item: unknown): unknown {
  if (!isRecord(item)) return undefined;
  return isMessage(item) ? item["role"] : sideOf(wordOf(item["type"]));
}
