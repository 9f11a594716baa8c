import { recordOf } from "../../../src/testing/judge/loose.ts";
import type { Subject } from "../subject.ts";
import { textsOfContent } from "../texts.ts";
import { generateResponses } from "./generate.ts";
import { judgeResponses } from "../../../src/testing/judge/openai-responses/judge.ts";
import { isOutput } from "../../../src/testing/judge/openai-responses/pairing.ts";

/** OpenAI's Responses. */
export const openaiResponsesSubject: Subject = {
  listKey: "input",
  judge: judgeResponses,
  generate: generateResponses,
  textsOf: (items) =>
    items.map(recordOf).flatMap(({ type, role, content, output }) => {
      if (isOutput(type)) return textsOfContent(output);
      return role === "user" || role === "assistant" || role === "tool" ? textsOfContent(content) : [];
    }),
  anatomy: {
    partKeys: ["content", "output"],
    contentKey: "content",
    ids: (item) => ["call_id", "id"].map((key) => ({ holder: item, key })),
    arguments: (item) => ["arguments", "input"].map((key) => ({ holder: item, key })),
  },
  userMessage: { role: "user", content: "go on" },
  isOpenEnded: () => false,
};
