import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, streamText } from "ai";
import type { AssistantContent, ModelMessage } from "ai";
import { repairStep } from "undangle/ai-sdk";
import { failureOf, parameters, toolNames } from "./program.ts";
import type { Answer, Conversation, HeardCall, Line, Listening, Program } from "./program.ts";

/** The AI SDK, which has messages of its own, and refuses some histories itself, before it asks anybody. */
export const aiProgram: Program = {
  name: "ai, openai-compatible",
  format: "openai-chat",
  history: "ai-sdk",
  isStrict: true,
  needsSignal: true,
  open(line, saved = []) {
    const messages = [...(saved as readonly ModelMessage[])]; // an earlier run has saved them
    const conversation: Conversation = {
      messages,
      say: (content) => void messages.push({ role: "user", content }),
      answer: (results) =>
        void messages.push({
          role: "tool",
          content: results.map(({ call, text }) => ({
            type: "tool-result",
            toolCallId: call.id ?? "",
            toolName: call.name ?? "",
            output: { type: "text", value: text },
          })),
        }),
      async ask(listening = {}) {
        let text = "";
        const calls: HeardCall[] = [];
        let failure: Pick<Answer, "error"> = {};
        try {
          for await (const part of partsOf(messages, line, listening)) {
            if (part.type === "error") throw part.error;
            if (part.type === "text-delta") {
              text += part.text;
              listening.onText?.(part.text);
            }
            if (part.type === "tool-call") {
              const args: unknown = part.invalid === true ? "no JSON" : part.input;
              calls.push({ id: part.toolCallId, name: part.toolName, arguments: args });
            }
            if (part.type === "abort") throw new Error("The answer was aborted.");
            if (listening.isEnough?.({ text, calls }) === true) break;
          }
        } catch (error) {
          failure = failureOf(error);
        }
        const content = [
          ...(text === "" ? [] : [{ type: "text" as const, text }]),
          ...calls.map(({ id = "", name = "", arguments: input }) => ({
            type: "tool-call" as const,
            toolCallId: id,
            toolName: name,
            input,
          })),
        ] satisfies AssistantContent;
        if (content.length > 0) messages.push({ role: "assistant", content });
        return { text, calls, ...failure };
      },
    };
    return conversation;
  },
};

function partsOf(messages: readonly ModelMessage[], { baseUrl, fetch, isBare }: Line, { signal }: Listening) {
  const provider = createOpenAICompatible({ name: "test", baseURL: baseUrl, apiKey: "none", fetch });
  const open = { inputSchema: jsonSchema<Record<string, unknown>>({ ...parameters }) };
  return streamText({
    model: provider("gpt-4.1"),
    messages: [...messages],
    maxRetries: 0,
    onError: () => undefined,
    tools: Object.fromEntries(toolNames.map((name) => [name, open])),
    ...(signal && { abortSignal: signal }),
    ...(isBare !== true && { prepareStep: repairStep() }),
  }).fullStream;
}
