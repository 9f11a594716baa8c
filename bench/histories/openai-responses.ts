import { type Call, type Conversation, idText, toolNames } from "./conversation.ts";

/** The conversation as a request body of the format `openai-responses`: every call and every result is an item. */
export function openaiResponsesBody({ turns }: Conversation) {
  const input: object[] = [];
  for (const { question, calls, answer } of turns) {
    input.push({ role: "user", content: question });
    for (const call of calls) {
      const { name, arguments: args } = call;
      input.push({ type: "function_call", call_id: idOf(call), name, arguments: JSON.stringify(args) });
    }
    for (const call of calls) {
      if (call.result === undefined) continue;
      input.push({ type: "function_call_output", call_id: idOf(call), output: call.result });
    }
    if (answer !== undefined) input.push({ role: "assistant", content: answer });
  }
  const tools = toolNames.map((name) => ({ type: "function", name, parameters: { type: "object", properties: {} } }));
  return { model: "gpt-5.1", tools, input };
}

const idOf = ({ serial }: Call): string => `call_${idText(serial, 24)}`;
