import { piecesOf } from "../scripted-turn.ts";
import type { Turn } from "../scripted-turn.ts";
import { playedAs } from "./played.ts";
import type { Frame, Player, Wire } from "./played.ts";

/** Chat completions, as OpenAI gives them. */
export const playChat: Player = {
  stream(turn) {
    const frames: Frame[] = [];
    const send = (delta: Wire, call?: number): void => {
      const data = chunk(turn, { index: 0, delta, finish_reason: null });
      frames.push(call === undefined ? { data } : { data, call });
    };
    send({ role: "assistant", content: turn.text === "" ? null : "" });
    for (const piece of piecesOf(turn.reasoning)) send({ reasoning_content: piece });
    for (const piece of piecesOf(turn.text)) send({ content: piece });
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
    const message = {
      role: "assistant",
      content: turn.text === "" && tool_calls.length > 0 ? null : turn.text,
      ...(turn.reasoning === "" ? {} : { reasoning_content: turn.reasoning }),
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
