import { type Call, type Conversation, idText } from "./conversation.ts";

/** The conversation as the model messages of the AI SDK. */
export function aiSdkBody({ turns }: Conversation) {
  const messages: object[] = [];
  for (const { question, calls, answer } of turns) {
    messages.push({ role: "user", content: question });
    messages.push({ role: "assistant", content: calls.map(toolCall) });
    const results = calls.filter(({ result }) => result !== undefined);
    if (results.length > 0) messages.push({ role: "tool", content: results.map(toolResult) });
    if (answer !== undefined) messages.push({ role: "assistant", content: answer });
  }
  return { messages };
}

const idOf = ({ serial }: Call): string => `call_${idText(serial, 24)}`;

const toolCall = (call: Call) => ({
  type: "tool-call",
  toolCallId: idOf(call),
  toolName: call.name,
  input: call.arguments,
});

const toolResult = (call: Call) => ({
  type: "tool-result",
  toolCallId: idOf(call),
  toolName: call.name,
  output: { type: "text", value: call.result },
});
