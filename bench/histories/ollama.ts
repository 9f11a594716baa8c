import { type Conversation, toolNames } from "./conversation.ts";

/** The conversation as a request body of the format `ollama`: no ids, results by their place and name. */
export function ollamaBody({ turns }: Conversation) {
  const messages: object[] = [];
  for (const { question, calls, answer } of turns) {
    messages.push({ role: "user", content: question });
    const tool_calls = calls.map(({ name, arguments: args }) => ({ function: { name, arguments: args } }));
    messages.push({ role: "assistant", content: "", tool_calls });
    for (const { name, result } of calls) {
      if (result !== undefined) messages.push({ role: "tool", tool_name: name, content: result });
    }
    if (answer !== undefined) messages.push({ role: "assistant", content: answer });
  }
  const tools = toolNames.map((name) => ({ type: "function", function: { name, parameters: { type: "object" } } }));
  return { model: "qwen3", options: { num_ctx: 32_768 }, tools, messages };
}
