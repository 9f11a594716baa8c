import type { Range } from "../../codec.ts";
import { noteAnswer } from "../../note-answer.ts";
import type { Context } from "./message.ts";

/** A turn with missing results whose calls and existing results the survey found valid. */
interface OpenMessage {
  readonly tool_calls: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** Adds a turn and the results for its open calls to a list, as the rules would. */
export function answerTurn(
  { start, end }: Range,
  input: readonly unknown[],
  list: unknown[],
  { policy, journal, outlook }: Context,
): void {
  const assistant = input[start] as OpenMessage; // checked by the survey
  const results = input.slice(start + 1, end) as readonly { readonly tool_call_id: string }[];
  const cause = outlook(end) === "user" ? "superseded" : "interrupted";
  const { language } = policy;
  list.push(assistant);
  assistant.tool_calls.forEach(({ id, function: { name, arguments: args } }, place) => {
    const result = results.find(({ tool_call_id }) => tool_call_id === id);
    if (result !== undefined) {
      list.push(result);
      return;
    }
    const { text } = policy.notice({ id, name, arguments: args, cause, position: start, language });
    const after = { role: "tool", tool_call_id: id, name, content: text };
    const from = `messages[${start}].tool_calls[${place}]`;
    const to = `messages[${list.length}]`;
    list.push(after);
    noteAnswer({ id, name, from, to, after }, journal);
  });
}
