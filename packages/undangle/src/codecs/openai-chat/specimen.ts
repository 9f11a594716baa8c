import { eventOf } from "../stream/cleaner.ts";
import { specimenCalls, specimenPieces } from "../stream/specimen.ts";

/** A short healthy stream of nobody's. */
export function writeSpecimen(): string {
  const envelope = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" };
  const chunk = (delta: object, finish: string | null = null): string =>
    eventOf({ value: { ...envelope, choices: [{ index: 0, delta, finish_reason: finish }] } });
  return [
    chunk({ role: "assistant", content: "" }),
    ...specimenPieces.map((content) => chunk({ content })),
    ...specimenCalls.flatMap(({ id, name, pieces }, index) => [
      chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
      ...pieces.map((text) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })),
    ]),
    chunk({}, "tool_calls"),
    "data: [DONE]\n\n",
  ].join("");
}
