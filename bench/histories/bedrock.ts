import { type Call, type Conversation, idText, toolNames } from "./conversation.ts";

/** The conversation as a request body of the format `bedrock`. */
export function bedrockBody({ turns }: Conversation) {
  const messages: { readonly role: string; readonly content: object[] }[] = [];
  for (const { question, calls, answer } of turns) {
    const last = messages.at(-1);
    if (last?.role === "user") last.content.push({ text: question });
    else messages.push({ role: "user", content: [{ text: question }] });
    messages.push({ role: "assistant", content: calls.map(toolUse) });
    const results = calls.filter(({ result }) => result !== undefined);
    messages.push({ role: "user", content: results.map(toolResult) });
    if (answer !== undefined) messages.push({ role: "assistant", content: [{ text: answer }] });
  }
  if (messages.at(-1)?.role === "assistant") messages.push({ role: "user", content: [{ text: "Go on." }] });
  const tools = toolNames.map((name) => ({ toolSpec: { name, inputSchema: { json: { type: "object" } } } }));
  return { modelId: "amazon.nova-pro-v1:0", toolConfig: { tools }, messages };
}

const idOf = ({ serial }: Call): string => `tooluse_${idText(serial, 22)}`;

const toolUse = (call: Call) => ({
  toolUse: { toolUseId: idOf(call), name: call.name, input: call.arguments },
});

const toolResult = (call: Call) => ({
  toolResult: { toolUseId: idOf(call), content: [{ text: call.result }] },
});
