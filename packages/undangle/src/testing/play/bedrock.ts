import { piecesOf } from "../scripted-turn.ts";
import { playedAs } from "./played.ts";
import type { Frame, Player, Wire } from "./played.ts";

/** Writes turns as Bedrock Converse and ConverseStream responses. */
export const playBedrock: Player = {
  stream(turn) {
    const frames: Frame[] = [];
    const send = (event: string, data: Wire): void => void frames.push({ event, data });
    send("messageStart", { role: "assistant" });
    let contentBlockIndex = 0;
    const block = (start: Wire | undefined, deltas: readonly Wire[]): void => {
      if (start !== undefined) send("contentBlockStart", { contentBlockIndex, start });
      for (const delta of deltas) send("contentBlockDelta", { contentBlockIndex, delta });
      send("contentBlockStop", { contentBlockIndex });
      contentBlockIndex++;
    };
    if (turn.reasoning !== "" || turn.seal !== undefined) {
      const thinking = piecesOf(turn.reasoning).map((text) => ({ reasoningContent: { text } }));
      const signed = turn.seal === undefined ? [] : [{ reasoningContent: { signature: turn.seal } }];
      block(undefined, [...thinking, ...signed]);
    }
    if (turn.text !== "")
      block(
        undefined,
        piecesOf(turn.text).map((text) => ({ text })),
      );
    for (const { id, name, raw } of turn.calls) {
      const pieces = raw === "{}" ? [] : piecesOf(raw);
      block(
        { toolUse: { toolUseId: id, name } },
        pieces.map((input) => ({ toolUse: { input } })),
      );
    }
    send("messageStop", { stopReason: reasons[turn.finish] });
    send("metadata", { usage: turn.usage ?? usage, metrics: { latencyMs: 1 } });
    return playedAs(frames, "", "events");
  },
  body(turn) {
    const content: Wire[] = [];
    if (turn.reasoning !== "" || turn.seal !== undefined) {
      const signed = turn.seal === undefined ? {} : { signature: turn.seal };
      content.push({ reasoningContent: { reasoningText: { text: turn.reasoning, ...signed } } });
    }
    if (turn.text !== "") content.push({ text: turn.text });
    for (const { id, name, arguments: input } of turn.calls) content.push({ toolUse: { toolUseId: id, name, input } });
    const message = { role: "assistant", content };
    return {
      output: { message },
      stopReason: reasons[turn.finish],
      usage: turn.usage ?? usage,
      metrics: { latencyMs: 1 },
    };
  },
};

const usage = { inputTokens: 20, outputTokens: 10, totalTokens: 30 };

const reasons = {
  stop: "end_turn",
  tool_calls: "tool_use",
  length: "max_tokens",
  content_filter: "content_filtered",
} as const;
