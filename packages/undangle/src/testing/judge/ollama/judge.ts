import { isRecord, isText, listOf, readInput, recordOf, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";

/**
 * The rule for arguments, and what the decoder of the server cannot read. The server itself does not look at who answers
 * whom, but the model does: calls without results, and results without calls, count as wrong in every format.
 */
export function judgeOllama(input: unknown): Verdict[] {
  const { messages, body } = readInput(input);
  // A body that names a model and has no messages loads the model.
  if (messages.length === 0)
    return isText(body?.["model"]) ? [] : [{ id: "no-messages", path: "messages", text: "no messages" }];
  return [
    ...messages.flatMap((message, index) => judgeTypes(message, `messages[${index}]`)),
    ...judgePairs(messages.map(recordOf)),
  ];
}

function judgeTypes(raw: unknown, path: string): Verdict[] {
  if (!isRecord(raw)) return raw === null ? [] : [{ id: "type", path, text: "cannot unmarshal into Go struct" }];
  const wrong = ["role", "content", "thinking", "tool_name", "tool_call_id"].filter(
    (key) => !isMaybe(raw[key], "string"),
  );
  const calls = raw["tool_calls"];
  return [
    ...wrong.map((key) => ({ id: "type", path: `${path}.${key}`, text: "cannot unmarshal into a Go string" })),
    ...(calls === undefined || calls === null || Array.isArray(calls)
      ? []
      : [{ id: "type", path, text: "cannot unmarshal into []api.ToolCall" }]),
    ...listOf(calls).flatMap((call, index) => judgeCall(recordOf(call), `${path}.tool_calls[${index}]`)),
  ];
}

const isMaybe = (value: unknown, type: string): boolean =>
  value === undefined || value === null || typeof value === type;

function judgeCall(call: Loose, path: string): Verdict[] {
  const called = recordOf(call["function"]);
  const args = called["arguments"];
  const verdicts: Verdict[] = [];
  if (!isMaybe(call["id"], "string")) verdicts.push({ id: "type", path, text: "cannot unmarshal into a Go string" });
  if (!isText(called["name"])) verdicts.push({ id: "name", path, text: "a call of no tool" });
  if (args !== undefined && args !== null && !isRecord(args)) {
    const text = "json: cannot unmarshal string into Go struct field .arguments of type api.ToolCallFunctionArguments";
    verdicts.push({ id: "OLL-ARGS-OBJECT", path, text });
  }
  return verdicts;
}

/** Every call has a result among those right behind its message, and nobody else has. */
function judgePairs(messages: readonly Loose[]): Verdict[] {
  const verdicts: Verdict[] = [];
  let calls: readonly Loose[] = [];
  let results: Loose[] = [];
  const close = (index: number): void => {
    if (results.length !== calls.length) {
      verdicts.push({
        id: "pairing",
        path: `messages[${index}]`,
        text: `${calls.length} calls, ${results.length} results`,
      });
    }
    const ids = calls.map(({ id }) => id).filter(isText);
    const answered = results.map((result) => result["tool_call_id"]).filter(isText);
    const isForeign = ids.length === calls.length && answered.some((id) => !ids.includes(id));
    const isTwice = [ids, answered].some((list) => new Set(list).size < list.length && ids.length > 0);
    if (isForeign || isTwice) verdicts.push({ id: "pairing", path: `messages[${index}]`, text: "ids do not agree" });
    calls = [];
    results = [];
  };
  for (const [index, message] of messages.entries()) {
    if (message["role"] === "tool") {
      results.push(message);
      continue;
    }
    close(index);
    calls = message["role"] === "assistant" ? listOf(message["tool_calls"]).map(recordOf) : [];
  }
  close(messages.length);
  return verdicts;
}
