import { listOf, recordOf } from "../../src/testing/judge/loose.ts";
import type { Loose } from "../../src/testing/judge/loose.ts";
import { textOf } from "./manner.ts";
import type { Manner } from "./manner.ts";
import { parameters, toolNames } from "./program.ts";

/** Responses, with the history kept by the program. */
export const responsesManner: Manner = {
  format: "openai-responses",
  listKey: "input",
  path: "/responses",
  request: (input) => ({
    model: "gpt-5.1",
    input,
    tools: toolNames.map((name) => ({ type: "function", name, parameters, strict: false })),
    stream: true,
  }),
  user: (content) => ({ role: "user", content }),
  results: (results) =>
    results.map(({ call, text }) => ({ type: "function_call_output", call_id: call.id ?? "", output: text })),
  listen(onText) {
    const items: Record<string, unknown>[] = []; // as far as they have come
    let output: readonly Loose[] | undefined;
    const itemAt = (event: Loose): Record<string, unknown> => (items[Number(event["output_index"])] ??= {});
    return {
      take(event) {
        const { type, delta } = event;
        const response = recordOf(event["response"]);
        if (type === "error" || type === "response.failed" || type === "response.incomplete") {
          throw new Error(`${type}: ${JSON.stringify(event["message"] ?? response["error"])}`);
        }
        if (type === "response.output_item.added") Object.assign(itemAt(event), recordOf(event["item"]));
        if (type === "response.reasoning_summary_text.delta") onText(textOf(delta));
        if (type === "response.output_text.delta") {
          const item = itemAt(event);
          const text = `${saidIn(item)}${textOf(delta)}`;
          item["content"] = [{ type: "output_text", text, annotations: [] }];
          onText(textOf(delta));
        }
        if (type === "response.function_call_arguments.delta") {
          const item = itemAt(event);
          item["arguments"] = `${textOf(item["arguments"])}${textOf(delta)}`;
        }
        if (type === "response.completed") output = listOf(response["output"]).map(recordOf);
      },
      heard() {
        const all = output ?? items;
        return {
          text: all.map(saidIn).join(""),
          calls: all
            .filter(({ type }) => type === "function_call")
            .map(({ call_id: id, name, arguments: args }) => ({
              id: textOf(id),
              name: textOf(name),
              arguments: args,
            })),
        };
      },
      messages: () => output ?? items.filter(({ type }) => type === "function_call" || type === "message"),
    };
  },
};

const saidIn = (item: Loose): string =>
  item["type"] === "message"
    ? listOf(item["content"])
        .map((part) => textOf(recordOf(part)["text"]))
        .join("")
    : "";
