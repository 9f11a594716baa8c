import { isRecord, listOf, recordOf, type Loose } from "../../../src/testing/judge/loose.ts";
import type { Spot, Subject } from "../subject.ts";
import { textsOfContent } from "../texts.ts";
import { generateLangchain } from "./generate.ts";
import { judgeLangchain } from "./judge.ts";
import { fieldsOf, kindOf } from "./message.ts";

export const langchainSubject: Subject = {
  listKey: "messages",
  judge: judgeLangchain,
  generate: generateLangchain,
  textsOf: (messages) =>
    messages.flatMap((message) => (kindOf(message) === "other" ? [] : textsOfContent(fieldsOf(message)["content"]))),
  anatomy: {
    partKeys: ["content", "tool_calls"],
    contentKey: "content",
    ids: (message) => [
      { holder: fieldsOf(message), key: "tool_call_id" },
      ...callsOf(message).map((holder) => ({ holder, key: "id" })),
    ],
    arguments: (message) =>
      callsOf(message).flatMap((holder): Spot[] => ("args" in holder ? [{ holder, key: "args" }] : [])),
  },
  userMessage: { type: "human", content: "go on" },
  isOpenEnded: (messages) => ["ai", "other"].includes(kindOf(messages.at(-1))),
};

/** The calls of a message wherever they stand, for damage that is done to one place only. */
function callsOf(message: Loose): Loose[] {
  const { tool_calls: calls, content, additional_kwargs: kwargs } = fieldsOf(message);
  const isCall = (type: unknown): boolean => typeof type === "string" && /tool_use|tool_call$/u.test(type);
  const blocks = listOf(content).filter((block) => isCall(recordOf(block)["type"]));
  return [...listOf(calls), ...blocks, ...listOf(recordOf(kwargs)["tool_calls"])].filter(isRecord);
}
