import { eventOf } from "../stream/cleaner.ts";
import { specimenCalls, specimenPieces } from "../stream/specimen.ts";

/** A short healthy stream of nobody's. */
export function writeSpecimen(): string {
  const event = (type: string, data: object = {}): string => eventOf({ event: type, value: { type, ...data } });
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], usage };
  const block = (index: number, start: object, deltas: readonly object[]): string =>
    [
      event("content_block_start", { index, content_block: start }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ].join("");
  return [
    event("message_start", { message }),
    block(
      0,
      { type: "text", text: "" },
      specimenPieces.map((text) => ({ type: "text_delta", text })),
    ),
    ...specimenCalls.map(({ id, name, pieces }, i) =>
      block(
        i + 1,
        { type: "tool_use", id, name, input: {} },
        pieces.map((json) => ({ type: "input_json_delta", partial_json: json })),
      ),
    ),
    event("message_delta", { delta: { stop_reason: "tool_use", stop_sequence: null }, usage }),
    event("message_stop"),
  ].join("");
}
