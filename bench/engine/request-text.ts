import type { ModelRequest } from "undangle/agent";
import type { ToolInput } from "./tool-input.ts";

type Message = ModelRequest["messages"][number];

/**
 * Writes the requests of the engine as bodies of the chat format. Messages are the same objects from step to step, so each of
 * them is written once: what was written of the last thread is remembered.
 */
export function createRequestWriter({ chatTools }: ToolInput): (request: ModelRequest) => string {
  const toolsText = JSON.stringify(chatTools);
  const known: Message[] = [];
  const texts: string[] = [];
  return ({ messages }) => {
    let place = 0;
    while (place < messages.length && known[place] === messages[place]) place++;
    known.length = place;
    texts.length = place;
    for (const message of messages.slice(place)) {
      known.push(message);
      texts.push(textOf(message));
    }
    return `{"model":"bench","messages":[${texts.join(",")}],"tools":${toolsText}}`;
  };
}

/** One message as those of the chat format, in which every result is one. */
function textOf(message: Message): string {
  switch (message.role) {
    case "tool": {
      let text = "";
      for (const { id, parts } of message.results) {
        text += `${text === "" ? "" : ","}${JSON.stringify({ role: "tool", tool_call_id: id, content: textIn(parts) })}`;
      }
      return text;
    }
    case "assistant": {
      const calls: object[] = [];
      for (const part of message.parts) {
        if (part.type !== "call") continue;
        const { id, name, input } = part;
        calls.push({ id, type: "function", function: { name, arguments: "text" in input ? input.text : "" } });
      }
      const content = textIn(message.parts);
      return JSON.stringify(
        calls.length === 0
          ? { role: "assistant", content }
          : { role: "assistant", content: content || null, tool_calls: calls },
      );
    }
    case "user":
    case "system":
      return JSON.stringify({ role: message.role, content: textIn(message.parts) });
  }
}

function textIn(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  let text = "";
  for (const part of parts) if (part.type === "text") text += part.text ?? "";
  return text;
}
