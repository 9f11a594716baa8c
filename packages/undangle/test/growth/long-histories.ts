import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

import { undangle } from "../../src/adapters/langchain.ts";
import { diffJson } from "../../src/cli/json/diff-json.ts";
import { lineFinder } from "../../src/cli/json/find-line.ts";

/** Work on a history of so many messages, apart from what prepares it. */
export const longHistories: Readonly<Record<string, (count: number) => () => unknown>> = {
  "the comparison with a repaired history": (count) => {
    const before = Array.from({ length: count }, (_, index) => ({ role: "user", content: String(index) }));
    const after = before.flatMap((message, index) => (index % 10 === 0 ? [message, { role: "tool" }] : [message]));
    return () => diffJson(before, after);
  },
  "the lines of all messages in a text": (count) => {
    const text = JSON.stringify(
      Array.from({ length: count }, (_, id) => ({ id })),
      undefined,
      1,
    );
    const value: unknown = JSON.parse(text);
    return () => {
      const lineOf = lineFinder(text, value);
      for (let index = 0; index < count; index++) lineOf(`[${index}].id`);
    };
  },
  "the middleware for LangChain": (count) => {
    const messages = Array.from({ length: Math.ceil(count / 4) }, (_, n) => [
      new HumanMessage("and?"),
      new AIMessage({ content: "", tool_calls: [{ id: `c${n}`, name: "f", args: {} }] }),
      new ToolMessage({ content: "fine", tool_call_id: `c${n}` }),
      new AIMessage("ok"),
    ]).flat();
    return () => undangle().wrapModelCall({ messages }, async (request) => request.messages);
  },
};
