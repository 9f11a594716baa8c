import { isRecord, listOf, recordOf } from "../../../src/testing/judge/loose.ts";
import type { Subject } from "../subject.ts";
import { textsOfContent } from "../texts.ts";
import { generateOllama } from "./generate.ts";
import { judgeOllama } from "../../../src/testing/judge/ollama/judge.ts";
import { judgeOllamaPairs } from "./pairing.ts";

export const ollamaSubject: Subject = {
  listKey: "messages",
  judge: (input) => [...judgeOllama(input), ...judgeOllamaPairs(input)],
  generate: generateOllama,
  textsOf: (messages) =>
    messages.map(recordOf).flatMap(({ role, content }) => (role === "system" ? [] : textsOfContent(content))),
  anatomy: {
    partKeys: ["tool_calls"],
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
  isOpenEnded: () => false,
};
