import { type Call, type Conversation, idText, toolNames } from "./conversation.ts";

export interface AnthropicOptions {
  /** A user's question stands in the message of the results before it, or in a message of its own (the API merges them). */
  readonly questions?: "merged" | "apart";
  /** With thinking, text beside the calls, results as lists of blocks and a cache marker. */
  readonly asAnswered?: boolean;
}

/** The conversation as a request body of the format `anthropic`. */
export function anthropicBody(
  { turns }: Conversation,
  { questions = "merged", asAnswered = false }: AnthropicOptions = {},
) {
  const messages: { readonly role: string; readonly content: object[] }[] = [];
  const ask = (text: string): void => {
    const last = messages.at(-1);
    if (last?.role === "user" && questions === "merged") last.content.push({ type: "text", text });
    else messages.push({ role: "user", content: [{ type: "text", text }] });
  };
  for (const { question, calls, answer } of turns) {
    ask(question);
    const before = asAnswered ? [thinking, { type: "text", text: "I look at the files first." }] : [];
    messages.push({ role: "assistant", content: [...before, ...calls.map(toolUse)] });
    const results = calls.flatMap((call) => (call.result === undefined ? [] : [toolResult(call, asAnswered)]));
    if (results.length > 0) messages.push({ role: "user", content: results });
    if (answer !== undefined) messages.push({ role: "assistant", content: [{ type: "text", text: answer }] });
  }
  if (messages.at(-1)?.role === "assistant") ask("Thank you. And the next one?");
  const tools = toolNames.map(toolOf);
  const body = { model: "claude-sonnet-4-5", max_tokens: 4096, tools, messages };
  if (!asAnswered) return body;
  messages.at(-1)?.content.push({ type: "text", text: "Go on.", cache_control: { type: "ephemeral" } });
  return { ...body, thinking: { type: "enabled", budget_tokens: 2048 } };
}

const idOf = ({ serial }: Call): string => `toolu_01${idText(serial, 22)}`;

const toolUse = (call: Call) => ({ type: "tool_use", id: idOf(call), name: call.name, input: call.arguments });

const toolResult = (call: Call, asList: boolean) => ({
  type: "tool_result",
  tool_use_id: idOf(call),
  content: asList ? [{ type: "text", text: call.result }] : call.result,
});

const thinking = { type: "thinking", thinking: "Which file is it?", signature: idText(1, 120) };

const toolOf = (name: string) => ({ name, description: `Does ${name}.`, input_schema: { type: "object" } });
