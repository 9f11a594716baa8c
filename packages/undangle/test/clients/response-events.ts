import { named, responseOf } from "./passed-through.ts";
import type { Typed } from "./passed-through.ts";

/** The text of a message. */
export const part = (text: string): Typed => ({ type: "output_text", text, annotations: [] });

/** A message that is whole. */
export const said: Typed = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [part("Hé")],
};

/** A call that is whole. */
export const called = (index: number, name: string, given: string): Typed => ({
  type: "function_call",
  id: `fc_${index}`,
  call_id: `call_${index}`,
  name,
  arguments: given,
  status: "completed",
});

const at = { item_id: said["id"], output_index: 0, content_index: 0 };

/** All events of a response up to the end of its message, which is the first item. */
export const saying: readonly Typed[] = [
  { type: "response.created", response: responseOf("in_progress") },
  { type: "response.in_progress", response: responseOf("in_progress") },
  { type: "response.output_item.added", output_index: 0, item: { ...said, status: "in_progress", content: [] } },
  { type: "response.content_part.added", ...at, part: part("") },
  { type: "response.output_text.delta", ...at, delta: "Hé", logprobs: [] },
  { type: "response.output_text.done", ...at, text: "Hé", logprobs: [] },
  { type: "response.content_part.done", ...at, part: part("Hé") },
  { type: "response.output_item.done", output_index: 0, item: said },
];

/** The events of a call, its arguments in pieces. */
export function calling(index: number, call: Typed, ...pieces: readonly string[]): readonly Typed[] {
  const argued = { item_id: call["id"], output_index: index };
  return [
    {
      type: "response.output_item.added",
      output_index: index,
      item: { ...call, status: "in_progress", arguments: "" },
    },
    ...pieces.map((delta) => ({ type: "response.function_call_arguments.delta", ...argued, delta })),
    { type: "response.function_call_arguments.done", ...argued, arguments: call["arguments"] },
    { type: "response.output_item.done", output_index: index, item: call },
  ];
}

export const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

/** The end of a response with its items. */
export const ended = (...output: readonly Typed[]): Typed => ({
  type: "response.completed",
  response: { ...responseOf("completed", ...output), usage },
});

/** Events as a body, numbered as OpenAI numbers them. */
export const numbered = (frames: readonly Typed[]): string =>
  named(...frames.map((frame, i) => ({ ...frame, sequence_number: i })));
