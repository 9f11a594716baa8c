import {
  AIMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  ToolMessage,
} from "@langchain/core/messages";
import type { AIMessageChunk, BaseMessage, StoredMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { failureOf, parameters, toolNames } from "./program.ts";
import type { Answer, Heard, Line, Program } from "./program.ts";

/** LangChain, whose messages are objects of classes. */
export const langchainProgram: Program = {
  name: "@langchain/openai",
  format: "openai-chat",
  history: "langchain",
  save: (messages) => mapChatMessagesToStoredMessages(messages as BaseMessage[]), // those of such a conversation
  open(line, saved = []) {
    const messages = saved.map(restored);
    const model = modelOf(line);
    return {
      messages,
      say: (text) => void messages.push(new HumanMessage(text)),
      answer: (results) =>
        void messages.push(
          ...results.map(({ call, text }) => new ToolMessage({ tool_call_id: call.id ?? "", content: text })),
        ),
      async ask({ signal, onText, isEnough } = {}) {
        let all: AIMessageChunk | undefined;
        let failure: Pick<Answer, "error"> = {};
        try {
          for await (const chunk of await model.stream([...messages], { ...(signal && { signal }) })) {
            all = all === undefined ? chunk : all.concat(chunk);
            onText?.(chunk.text);
            if (isEnough?.(heardIn(all)) === true) break;
          }
        } catch (error) {
          failure = failureOf(error);
        }
        const { text = "", tool_calls: calls = [] } = all ?? {};
        if (text !== "" || calls.length > 0) messages.push(new AIMessage({ content: text, tool_calls: calls }));
        return { ...heardIn(all), ...failure };
      },
    };
  },
};

const heardIn = (message: AIMessageChunk | undefined): Heard => ({
  text: message?.text ?? "",
  calls: [
    ...(message?.tool_calls ?? []).map(({ id, name, args }) => ({ id, name, arguments: args })),
    ...(message?.invalid_tool_calls ?? []).map(({ id, name }) => ({ id, name, arguments: "no JSON" })),
  ],
});

const modelOf = ({ baseUrl, fetch }: Line) =>
  new ChatOpenAI({
    model: "gpt-4.1",
    apiKey: "none",
    maxRetries: 0,
    useResponsesApi: false,
    configuration: { baseURL: baseUrl, fetch },
  }).bindTools(toolNames.map((name) => ({ type: "function" as const, function: { name, parameters } })));

/** A message that was kept, or one that was read from a file. */
function restored(saved: unknown): BaseMessage {
  const message = saved as BaseMessage | StoredMessage; // nothing else is ever saved
  return "getType" in message ? message : (mapStoredMessagesToChatMessages([message])[0] ?? new HumanMessage(""));
}
