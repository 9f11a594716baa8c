import { piecesOf } from "../scripted-turn.ts";
import type { Turn } from "../scripted-turn.ts";
import { spokenText, thoughtIn } from "./chat-thoughts.ts";
import { playedAs } from "./played.ts";
import type { Frame, Player, Wire } from "./played.ts";

/** Writes turns as OpenAI chat completions. */
export const playChat: Player = {
  stream(turn) {
    const frames: Frame[] = [];
    const send = (delta: Wire, call?: number): void => {
      const data = chunk(turn, { index: 0, delta, finish_reason: null });
      frames.push(call === undefined ? { data } : { data, call });
    };
    const { reasoning, style } = turn;
    const text = spokenText(style, reasoning, turn.text);
    send({ role: "assistant", content: text === "" ? null : "" });
    if (style !== "tags") for (const piece of piecesOf(reasoning)) send(thoughtIn(style, piece));
    for (const piece of piecesOf(text)) send({ content: piece });
    turn.calls.forEach(({ id, name, raw }, index) => {
      send({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }, index);
      for (const piece of piecesOf(raw)) {
        send({ tool_calls: [{ index, function: { arguments: piece } }] }, index);
      }
    });
    frames.push({ data: chunk(turn, { index: 0, delta: {}, finish_reason: turn.finish }) });
    if (turn.usage !== undefined) frames.push({ data: { ...chunk(turn), usage: turn.usage } });
    return playedAs(frames, "[DONE]");
  },
  body(turn) {
    const tool_calls = turn.calls.map(({ id, name, raw }) => ({
      id,
      type: "function",
      function: { name, arguments: raw },
    }));
    const { reasoning, style } = turn;
    const text = spokenText(style, reasoning, turn.text);
    const thought = reasoning === "" || style === "tags" ? {} : thoughtIn(style, reasoning);
    const parts: readonly unknown[] = Array.isArray(thought["content"]) ? thought["content"] : [];
    const plain = text === "" && tool_calls.length > 0 ? null : text;
    const message = {
      role: "assistant",
      ...thought,
      content: parts.length > 0 ? [...parts, { type: "text", text }] : plain,
      ...(tool_calls.length > 0 ? { tool_calls } : {}),
      refusal: null,
    };
    const usage = turn.usage ?? { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: turn.finish }];
    return { ...head(turn, "chat.completion"), choices, usage };
  },
};

const head = ({ serial, model }: Turn, object: string) => ({
  id: `chatcmpl-${serial}`,
  object,
  created: 1_700_000_000 + serial,
  model,
});

const chunk = (turn: Turn, ...choices: readonly Wire[]): Wire => ({ ...head(turn, "chat.completion.chunk"), choices });
