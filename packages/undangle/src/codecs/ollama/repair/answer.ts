import type { Range } from "../../codec.ts";
import { noteAnswer } from "../../note-answer.ts";
import type { Context } from "./message.ts";
import { resultsOf } from "./open-turn.ts";
import type { GoodCall } from "./open-turn.ts";

/** Adds a turn and the results for its open calls to a list, as the rules would. */
export function answerTurn(
  { start, end }: Range,
  input: readonly unknown[],
  list: unknown[],
  { policy, journal, outlook }: Context,
): void {
  const { tool_calls: calls } = input[start] as { readonly tool_calls: readonly GoodCall[] }; // checked by the survey
  const results = resultsOf(calls, input, [start + 1, end]);
  const cause = outlook(end) === "user" ? "superseded" : "interrupted";
  const { language } = policy;
  list.push(input[start]);
  calls.forEach(({ id: given, function: { name, arguments: args } }, place) => {
    const result = results?.[place];
    if (result !== undefined) {
      list.push(result);
      return;
    }
    const id = given ?? "";
    const { text } = policy.notice({ id, name, arguments: args, cause, position: start, language });
    const after = { role: "tool", content: text, tool_name: name, ...(id === "" ? {} : { tool_call_id: id }) };
    const from = `messages[${start}].tool_calls[${place}]`;
    const to = `messages[${list.length}]`;
    list.push(after);
    noteAnswer({ id, name, from, to, after }, journal);
  });
}
