import { type Call, type Conversation, idText } from "./conversation.ts";

/** The conversation as stored messages of LangChain. */
export function langchainBody({ turns }: Conversation) {
  const messages: object[] = [];
  for (const { question, calls, answer } of turns) {
    messages.push({ type: "human", data: { content: question } });
    messages.push({ type: "ai", data: { content: "", tool_calls: calls.map(toolCall), invalid_tool_calls: [] } });
    for (const call of calls) {
      if (call.result === undefined) continue;
      const data = { content: call.result, tool_call_id: idOf(call), name: call.name, status: "success" };
      messages.push({ type: "tool", data });
    }
    if (answer !== undefined) messages.push({ type: "ai", data: { content: answer, tool_calls: [] } });
  }
  return { messages };
}

const idOf = ({ serial }: Call): string => `call_${idText(serial, 24)}`;

const toolCall = (call: Call) => ({ type: "tool_call", id: idOf(call), name: call.name, args: call.arguments });
