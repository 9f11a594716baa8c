import { isRecord, isText, listOf, readInput, recordOf, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";

/** The argument rule, and values that the server cannot decode. It does not check the pairing. */
export function judgeOllama(input: unknown): Verdict[] {
  const { messages, body } = readInput(input);
  // A body with a model and without messages loads the model.
  if (messages.length === 0)
    return isText(body?.["model"]) ? [] : [{ id: "no-messages", path: "messages", text: "no messages" }];
  return messages.flatMap((message, index) => judgeTypes(message, `messages[${index}]`));
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
  if (![call["id"], called["name"]].every((text) => isMaybe(text, "string"))) {
    verdicts.push({ id: "type", path, text: "cannot unmarshal into a Go string" });
  }
  if (args !== undefined && args !== null && !isRecord(args)) {
    const found = Array.isArray(args) ? "array" : typeof args === "boolean" ? "bool" : typeof args;
    const text = `json: cannot unmarshal ${found} into Go struct field ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments`;
    verdicts.push({ id: "OLL-ARGS-OBJECT", path, text });
  }
  return verdicts;
}
