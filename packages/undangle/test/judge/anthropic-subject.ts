import { judgeAnthropic } from "../../src/testing/judge/anthropic/judge.ts";
import { generateAnthropic } from "./generate-anthropic.ts";
import { isRecord, listOf, recordOf } from "../../src/testing/judge/loose.ts";
import type { Subject } from "./subject.ts";
import { textsOfContent } from "./texts.ts";

export const anthropicSubject: Subject = {
  listKey: "messages",
  judge: judgeAnthropic,
  generate: generateAnthropic,
  textsOf: (messages) =>
    messages
      .map(recordOf)
      .flatMap(({ role, content }) => (role === "system" || role === "developer" ? [] : textsOfContent(content))),
  anatomy: {
    partKeys: ["content"],
    contentKey: "content",
    ids: ({ content }) =>
      listOf(content)
        .filter(isRecord)
        .flatMap((holder) => ["id", "tool_use_id"].map((key) => ({ holder, key }))),
    arguments: ({ content }) =>
      listOf(content)
        .filter(isRecord)
        .map((holder) => ({ holder, key: "input" })),
  },
  userMessage: { role: "user", content: "go on" },
  isOpenEnded(messages) {
    const { role } = recordOf(messages.at(-1));
    return role === "assistant" || role === "system" || JSON.stringify(messages).includes("server_tool_use");
  },
};
