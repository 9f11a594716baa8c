import { listOf, recordOf } from "../../src/testing/judge/loose.ts";
import type { Loose } from "../../src/testing/judge/loose.ts";
import { textOf } from "./manner.ts";
import type { Manner } from "./manner.ts";
import { toolNames } from "./program.ts";

/** Ollama's chat. */
export const ollamaManner: Manner = {
  format: "ollama",
  listKey: "messages",
  path: "/api/chat",
  request: (messages) => ({
    model: "qwen3",
    messages,
    tools: toolNames.map((name) => ({ type: "function", function: { name, parameters: { type: "object" } } })),
    stream: true,
  }),
  user: (content) => ({ role: "user", content }),
  results: (results) => results.map(({ call, text }) => ({ role: "tool", tool_name: call.name, content: text })),
  listen(onText) {
    let content = "";
    const calls: Loose[] = [];
    return {
      take(event) {
        if (event["error"] !== undefined) throw new Error(JSON.stringify(event["error"]));
        const message = recordOf(event["message"]);
        if (typeof message["thinking"] === "string") onText(message["thinking"]);
        if (typeof message["content"] === "string" && message["content"] !== "") {
          content += message["content"];
          onText(message["content"]);
        }
        calls.push(...listOf(message["tool_calls"]).map(recordOf));
      },
      heard: () => ({
        text: content,
        calls: calls.map((call) => {
          const { name, arguments: args } = recordOf(call["function"]);
          return { id: textOf(call["id"]), name: textOf(name), arguments: args };
        }),
      }),
      messages() {
        if (content === "" && calls.length === 0) return [];
        return [{ role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) }];
      },
    };
  },
};
