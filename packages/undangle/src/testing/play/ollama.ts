import { piecesOf } from "../scripted-turn.ts";
import type { Turn } from "../scripted-turn.ts";
import { playedAs } from "./played.ts";
import type { Frame, Player, Wire } from "./played.ts";

/** Writes turns as Ollama /api/chat responses: lines of JSON, complete calls. */
export const playOllama: Player = {
  stream(turn) {
    const messages: Wire[] = [
      ...piecesOf(turn.reasoning).map((thinking) => ({ role: "assistant", content: "", thinking })),
      ...piecesOf(turn.text).map((content) => ({ role: "assistant", content })),
      ...turn.calls.map((call, index) => ({ role: "assistant", content: "", tool_calls: [callOf(call, index)] })),
    ];
    const frames = messages.map((message): Frame => ({ data: { ...head(turn), message, done: false } }));
    frames.push({ data: { ...head(turn), message: { role: "assistant", content: "" }, ...ending(turn) } });
    return playedAs(frames, "", "lines");
  },
  body(turn) {
    const message = {
      role: "assistant",
      content: turn.text,
      ...(turn.reasoning === "" ? {} : { thinking: turn.reasoning }),
      ...(turn.calls.length === 0 ? {} : { tool_calls: turn.calls.map(callOf) }),
    };
    return { ...head(turn), message, ...ending(turn) };
  },
};

const head = ({ model, serial }: Turn) => ({
  model,
  created_at: `2026-01-01T00:00:00.${String(serial).padStart(6, "0")}Z`,
});

const callOf = ({ id, name, arguments: args }: Turn["calls"][number], index: number): Wire => ({
  id,
  function: { index, name, arguments: args },
});

const ending = ({ finish, usage }: Turn) => ({
  done: true,
  done_reason: finish === "length" ? "length" : "stop",
  total_duration: 1_000_000,
  prompt_eval_count: 20,
  eval_count: 10,
  ...usage,
});
