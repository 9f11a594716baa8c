import { named } from "./passed-through.ts";

/** Events of Anthropic's Messages, as texts that make a body one behind the other. */
export const message = {
  id: "m",
  type: "message",
  role: "assistant",
  model: "c",
  content: [],
  usage: { input_tokens: 1 },
} as const;

export const start = named({ type: "message_start", message });

export const block = (index: number, content: object): string =>
  named({ type: "content_block_start", index, content_block: content });

export const delta = (index: number, given: object): string =>
  named({ type: "content_block_delta", index, delta: given });

export const stop = (index: number): string => named({ type: "content_block_stop", index });

/** The beginning of a call. */
export const use = (index: number, name: string, id = `toolu_${index}`): string =>
  block(index, { type: "tool_use", id, name, input: {} });

/** A piece of the arguments of a call. */
export const json = (index: number, given: string): string =>
  delta(index, { type: "input_json_delta", partial_json: given });

/** A whole call, its arguments in pieces. */
export const called = (index: number, name: string, ...given: readonly string[]): string =>
  use(index, name) + given.map((each) => json(index, each)).join("") + stop(index);

/** A whole text, in pieces. */
export const text = (index: number, ...said: readonly string[]): string =>
  block(index, { type: "text", text: "" }) +
  said.map((each) => delta(index, { type: "text_delta", text: each })).join("") +
  stop(index);

export const ping = named({ type: "ping" });

/** Why the turn ends, or only what was counted. */
export const reason = (given: string | null, tokens = 1): string =>
  named({
    type: "message_delta",
    delta: { stop_reason: given, stop_sequence: null },
    usage: { output_tokens: tokens },
  });

export const over = named({ type: "message_stop" });

/** The end of a turn with calls. */
export const ending = reason("tool_use") + over;

/** The arguments of all calls in a body. */
export const argumentsIn = (body: string): string =>
  [...body.matchAll(/"partial_json":("(?:[^"\\]|\\.)*")/gu)].map(([, said = ""]) => String(JSON.parse(said))).join("");
