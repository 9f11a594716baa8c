import { listOf, recordOf } from "../../src/testing/judge/loose.ts";
import { textOf } from "./manner.ts";
import type { Manner } from "./manner.ts";
import { parameters, toolNames } from "./program.ts";

/** Chat completions. */
export const chatManner: Manner = {
  format: "openai-chat",
  listKey: "messages",
  path: "/chat/completions",
  request: (messages) => ({
    model: "gpt-4.1",
    messages,
    tools: toolNames.map((name) => ({ type: "function", function: { name, parameters } })),
    stream: true,
  }),
  user: (content) => ({ role: "user", content }),
  results: (results) => results.map(({ call, text }) => ({ role: "tool", tool_call_id: call.id ?? "", content: text })),
  listen(onText) {
    let text = "";
    const calls: { id: string; type: "function"; function: { name: string; arguments: string } }[] = [];
    return {
      take(event) {
        if (event["error"] !== undefined) throw new Error(JSON.stringify(event["error"]));
        const { content, reasoning_content: reasoning, tool_calls: deltas } = deltaOf(event);
        if (typeof reasoning === "string") onText(reasoning);
        for (const thought of thoughtsIn(content)) onText(thought);
        for (const said of typeof content === "string" ? [content] : textsIn(content)) {
          text += said;
          onText(said);
        }
        for (const delta of listOf(deltas).map(recordOf)) {
          const { name, arguments: args } = recordOf(delta["function"]);
          const call = (calls[Number(delta["index"])] ??= {
            id: textOf(delta["id"]),
            type: "function",
            function: { name: textOf(name), arguments: "" },
          });
          call.function.arguments += textOf(args);
        }
      },
      heard: () => ({
        text,
        calls: calls.map(({ id, function: called }) => ({ id, name: called.name, arguments: called.arguments })),
      }),
      messages() {
        if (text === "" && calls.length === 0) return [];
        return [{ role: "assistant", content: text, ...(calls.length > 0 && { tool_calls: calls }) }];
      },
    };
  },
};

/** Content that is a list, as Mistral sends it. */
const textsIn = (content: unknown): readonly string[] => listOf(content).map((part) => textOf(recordOf(part)["text"]));
const thoughtsIn = (content: unknown): readonly string[] =>
  listOf(content).flatMap((part) => textsIn(recordOf(part)["thinking"]));

const deltaOf = (event: Readonly<Record<string, unknown>>) => recordOf(recordOf(listOf(event["choices"])[0])["delta"]);
