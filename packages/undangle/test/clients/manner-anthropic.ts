import { recordOf } from "../../src/testing/judge/loose.ts";
import { textOf, valueOf } from "./manner.ts";
import type { Manner } from "./manner.ts";
import { parameters, toolNames } from "./program.ts";

/** Anthropic's messages. */
export const anthropicManner: Manner = {
  format: "anthropic",
  listKey: "messages",
  path: "/v1/messages",
  request: (messages) => ({
    model: "claude-sonnet-5-5",
    max_tokens: 999,
    messages,
    tools: toolNames.map((name) => ({ name, input_schema: parameters })),
    stream: true,
  }),
  user: (content) => ({ role: "user", content }),
  results: (results) => [
    {
      role: "user",
      content: results.map(({ call, text }) => ({ type: "tool_result", tool_use_id: call.id ?? "", content: text })),
    },
  ],
  listen(onText) {
    const blocks: Record<string, unknown>[] = [];
    const inputs: string[] = []; // JSON, as far as it has come
    const inputOf = (block: unknown, at: number): unknown =>
      inputs[at] === undefined ? recordOf(block)["input"] : valueOf(inputs[at]);
    return {
      take(event) {
        if (event["type"] === "error") throw new Error(JSON.stringify(event["error"]));
        const at = Number(event["index"]);
        if (event["type"] === "content_block_start") blocks[at] = { ...recordOf(event["content_block"]) };
        if (event["type"] !== "content_block_delta") return;
        const { type, text, thinking, partial_json: json } = recordOf(event["delta"]);
        const block = (blocks[at] ??= {});
        if (type === "input_json_delta") inputs[at] = (inputs[at] ?? "") + textOf(json);
        if (type === "thinking_delta") onText(textOf(thinking));
        if (type !== "text_delta") return;
        block["text"] = `${textOf(block["text"])}${textOf(text)}`;
        onText(textOf(text));
      },
      heard: () => ({
        text: blocks.map(({ type, text }) => (type === "text" ? textOf(text) : "")).join(""),
        calls: blocks.flatMap((block, at) =>
          block["type"] === "tool_use"
            ? [{ id: textOf(block["id"]), name: textOf(block["name"]), arguments: inputOf(block, at) }]
            : [],
        ),
      }),
      messages() {
        const content = blocks.flatMap((block, at) => {
          if (block["type"] === "tool_use") return [{ ...block, input: inputOf(block, at) }];
          return block["type"] === "text" ? [block] : []; // thoughts may be left out
        });
        return content.length === 0 ? [] : [{ role: "assistant", content }];
      },
    };
  },
};
