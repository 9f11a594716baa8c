import { isRecord, listOf, readInput, recordOf, type Loose } from "../../../src/testing/judge/loose.ts";
import type { Subject } from "../subject.ts";
import type { Verdict } from "../../../src/testing/judge/verdict.ts";
import { generateAiSdk } from "./generate.ts";
import { judgeModelMessages } from "./model-messages.ts";
import { judgeServerCalls, judgeServerParts } from "./server-calls.ts";
import { judgeUiMessages } from "./ui-messages.ts";

/** Model messages and messages of a page, told apart by their parts. */
export const aiSdkSubject: Subject = {
  listKey: "messages",
  judge(input): readonly Verdict[] {
    const { messages } = readInput(input);
    if (messages.length === 0) return [{ id: "OAC-EMPTY", path: "messages", text: "messages must not be empty" }];
    return isForPage(messages)
      ? [...judgeUiMessages(messages), ...judgeServerParts(messages)]
      : [...judgeModelMessages(messages), ...judgeServerCalls(messages)];
  },
  generate: generateAiSdk,
  textsOf: (messages) =>
    messages.map(recordOf).flatMap(({ role, content, parts }) => {
      if (role === "system") return [];
      if (typeof content === "string") return [content];
      return [...listOf(content), ...listOf(parts)].map(recordOf).flatMap(textsOfPart);
    }),
  anatomy: {
    partKeys: ["content", "parts"],
    contentKey: "content",
    ids: (message) =>
      partsOf(message).flatMap((holder) => ["toolCallId", "approvalId"].map((key) => ({ holder, key }))),
    arguments: (message) => partsOf(message).map((holder) => ({ holder, key: "input" })),
  },
  userMessage: { role: "user", content: "go on" },
  isOpenEnded(messages) {
    const { role } = recordOf(messages.at(-1));
    return role !== "user" || isForPage(messages);
  },
};

const isForPage = (messages: readonly unknown[]): boolean =>
  messages.some((message) => Array.isArray(recordOf(message)["parts"]));

const partsOf = ({ content, parts }: Loose): readonly Loose[] =>
  [...listOf(content), ...listOf(parts)].filter(isRecord);

function textsOfPart({ type, text, output, errorText }: Loose): string[] {
  if (type === "text") return stringsOf(text);
  if (type === "reasoning" || type === "file") return [];
  return [...(type === "tool-result" ? textsOfOutput(output) : stringsOf(output)), ...stringsOf(errorText)];
}

/** What the output of a result says; its own words for the kind of output are no text. */
function textsOfOutput(output: unknown): string[] {
  const { type, value } = recordOf(output);
  if (type !== "content") return stringsOf(value);
  return listOf(value).flatMap((part) => stringsOf(recordOf(part)["text"]));
}

function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(stringsOf);
  return isRecord(value) ? Object.values(value).flatMap(stringsOf) : [];
}
