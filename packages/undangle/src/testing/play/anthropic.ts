import { piecesOf } from "../scripted-turn.ts";
import type { Turn } from "../scripted-turn.ts";
import { playedAs } from "./played.ts";
import type { Frame, Player, Wire } from "./played.ts";

/** Writes turns as Anthropic Messages. */
export const playAnthropic: Player = {
  stream(turn) {
    const frames: Frame[] = [];
    const send = (type: string, rest: Wire): void => void frames.push({ event: type, data: { type, ...rest } });
    const message = {
      ...head(turn),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 20, output_tokens: 1 },
    };
    send("message_start", { message });
    send("ping", {});
    let index = 0;
    const block = (content_block: Wire, deltas: readonly Wire[]): void => {
      send("content_block_start", { index, content_block });
      for (const delta of deltas) send("content_block_delta", { index, delta });
      send("content_block_stop", { index });
      index++;
    };
    if (hasThought(turn)) {
      const thinking = piecesOf(turn.reasoning).map((piece) => ({ type: "thinking_delta", thinking: piece }));
      const signed = { type: "signature_delta", signature: turn.seal ?? signature };
      block({ type: "thinking", thinking: "", signature: "" }, [...thinking, signed]);
    }
    if (turn.text !== "") {
      block(
        { type: "text", text: "" },
        piecesOf(turn.text).map((text) => ({ type: "text_delta", text })),
      );
    }
    for (const { id, name, raw } of turn.calls) {
      const pieces = raw === "{}" ? [""] : ["", ...piecesOf(raw)];
      block(
        { type: "tool_use", id, name, input: {} },
        pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })),
      );
    }
    send("message_delta", {
      delta: { stop_reason: stopReasons[turn.finish], stop_sequence: null },
      usage: turn.usage ?? { output_tokens: 10 },
    });
    send("message_stop", {});
    return playedAs(frames, "");
  },
  body(turn) {
    const content: Wire[] = [];
    if (hasThought(turn))
      content.push({ type: "thinking", thinking: turn.reasoning, signature: turn.seal ?? signature });
    if (turn.text !== "") content.push({ type: "text", text: turn.text });
    for (const { id, name, arguments: input } of turn.calls) content.push({ type: "tool_use", id, name, input });
    const usage = turn.usage ?? { input_tokens: 20, output_tokens: 10 };
    return { ...head(turn), content, stop_reason: stopReasons[turn.finish], stop_sequence: null, usage };
  },
};

/** Reasoning that is not shown has a signature too. */
const hasThought = ({ reasoning, seal }: Turn): boolean => reasoning !== "" || seal !== undefined;

const signature = `EqQBCgIYAhIkMTIzNDU2Nzg5${"0".repeat(60)}`;

const head = ({ serial, model }: Turn) => ({ id: `msg_${serial}`, type: "message", role: "assistant", model });

const stopReasons = {
  stop: "end_turn",
  tool_calls: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
} as const;
