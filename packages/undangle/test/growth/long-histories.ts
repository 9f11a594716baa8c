import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { cutPoints, trim } from "undangle";
import { lineFinder } from "#report";

import { undangle } from "../../src/adapters/langchain.ts";
import { diffJson } from "../../src/cli/json/diff-json.ts";

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
  "the cut points of a history whose results come late": (count) => {
    const half = Math.ceil(count / 2);
    const calls = Array.from({ length: half }, (_, n) => ({
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${n}`, type: "function", function: { name: "f", arguments: "{}" } }],
    }));
    const results = Array.from({ length: half }, (_, n) => ({ role: "tool", tool_call_id: `c${n}`, content: "fine" }));
    const messages = [{ role: "user", content: "and?" }, ...calls, ...results];
    return () => trim(messages, { format: "openai-chat", keep: { tokens: count } });
  },
  "the cut points of system messages in a row": (count) => {
    const messages = Array.from({ length: count }, () => ({ role: "system", content: "s" }));
    const list = [{ role: "user", content: "a" }, ...messages, { role: "user", content: "b" }];
    return () => cutPoints(list, { format: "openai-chat", start: "any" });
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
