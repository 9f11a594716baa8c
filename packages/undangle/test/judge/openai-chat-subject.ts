import { judgeChat } from "../../src/testing/judge/openai-chat/judge.ts";
import { generateOpenAiChat } from "./generate-openai-chat.ts";
import { isRecord, listOf, recordOf } from "../../src/testing/judge/loose.ts";
import type { Subject } from "./subject.ts";
import { textsOfContent } from "./texts.ts";

export const openaiChatSubject: Subject = {
  listKey: "messages",
  judge: (input, { provider }) => judgeChat(input, provider),
  generate: generateOpenAiChat,
  textsOf: (messages) =>
    messages.map(recordOf).flatMap(({ role, content, refusal }) => {
      if (role === "system" || role === "developer") return [];
      return textsOfContent(content).concat(typeof refusal === "string" ? [refusal] : []);
    }),
  anatomy: {
    partKeys: ["content", "tool_calls"],
    contentKey: "content",
    ids: (message) => [
      { holder: message, key: "tool_call_id" },
      ...listOf(message["tool_calls"])
        .filter(isRecord)
        .map((holder) => ({ holder, key: "id" })),
    ],
    arguments: (message) =>
      listOf(message["tool_calls"])
        .map((call) => recordOf(call)["function"])
        .filter(isRecord)
        .map((holder) => ({ holder, key: "arguments" })),
  },
  userMessage: { role: "user", content: "go on" },
  isOpenEnded(messages) {
    const { role } = recordOf(messages.at(-1));
    return role === "assistant" || role === "system";
  },
};
