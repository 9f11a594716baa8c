import { type Conversation, toolNames } from "./conversation.ts";

/** The conversation as a request body of the format `gemini`: no ids, results by their place. */
export function geminiBody({ turns }: Conversation) {
  const contents: { readonly role: string; readonly parts: object[] }[] = [];
  for (const { question, calls, answer } of turns) {
    const last = contents.at(-1);
    if (last?.role === "user") contents.push({ role: "model", parts: [{ text: "That is all." }] });
    contents.push({ role: "user", parts: [{ text: question }] });
    contents.push({
      role: "model",
      parts: calls.map(({ name, arguments: args }) => ({ functionCall: { name, args } })),
    });
    const results = calls.filter(({ result }) => result !== undefined);
    contents.push({
      role: "user",
      parts: results.map(({ name, result }) => ({ functionResponse: { name, response: { output: result } } })),
    });
    if (answer !== undefined) contents.push({ role: "model", parts: [{ text: answer }] });
  }
  if (contents.at(-1)?.role === "model") contents.push({ role: "user", parts: [{ text: "Go on." }] });
  const functionDeclarations = toolNames.map((name) => ({ name, description: `Does ${name}.` }));
  return { model: "gemini-2.5-pro", tools: [{ functionDeclarations }], contents };
}
