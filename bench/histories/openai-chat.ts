import { type Call, type Conversation, idText, toolNames } from "./conversation.ts";

export interface ChatOptions {
  /** The ids of OpenAI, or the nine letters and digits that Mistral takes (and every other provider too). */
  readonly ids?: "openai" | "nine";
  /** With a system message and the null and empty fields that OpenAI's answers carry. */
  readonly asAnswered?: boolean;
}

/** The conversation as a request body of the format `openai-chat`. */
export function openaiChatBody({ turns }: Conversation, { ids = "openai", asAnswered = false }: ChatOptions = {}) {
  const idOf = ({ serial }: Call): string => (ids === "nine" ? idText(serial, 9) : `call_${idText(serial, 24)}`);
  const extra = asAnswered ? { refusal: null, annotations: [] } : {};
  const messages: object[] = asAnswered ? [{ role: "system", content: "You are a careful engineer." }] : [];
  for (const { question, calls, answer } of turns) {
    messages.push({ role: "user", content: asAnswered ? [{ type: "text", text: question }] : question });
    messages.push({
      role: "assistant",
      content: null,
      ...extra,
      tool_calls: calls.map((call) => toolCall(call, idOf)),
    });
    for (const call of calls) {
      if (call.result !== undefined) messages.push({ role: "tool", tool_call_id: idOf(call), content: call.result });
    }
    if (answer !== undefined) messages.push({ role: "assistant", content: answer, ...extra });
  }
  if (turns.at(-1)?.answer !== undefined) messages.push({ role: "user", content: "Thank you. And the next one?" });
  return { model: "gpt-5.1", tools: toolNames.map(toolOf), messages };
}

const toolCall = (call: Call, idOf: (call: Call) => string) => ({
  id: idOf(call),
  type: "function",
  function: { name: call.name, arguments: JSON.stringify(call.arguments) },
});

const toolOf = (name: string) => ({
  type: "function",
  function: { name, description: `Does ${name}.`, parameters: { type: "object", properties: {} } },
});
