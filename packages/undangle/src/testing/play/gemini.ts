import { piecesOf } from "../scripted-turn.ts";
import type { Turn } from "../scripted-turn.ts";
import { playedAs } from "./played.ts";
import type { Frame, Player, Wire } from "./played.ts";

/** generateContent, as Gemini gives it: whole calls, with ids. */
export const playGemini: Player = {
  stream(turn) {
    const parts: Wire[] = [
      ...piecesOf(turn.reasoning).map((text) => ({ text, thought: true })),
      ...piecesOf(turn.text).map((text) => ({ text })),
      ...turn.calls.map(callPart),
    ];
    const frames = parts.map((part): Frame => ({
      data: answer(turn, { content: { role: "model", parts: [part] }, index: 0 }),
    }));
    const last = { content: { role: "model", parts: [{ text: "" }] }, finishReason: reasons[turn.finish], index: 0 };
    frames.push({ data: { ...answer(turn, last), usageMetadata: turn.usage ?? usageMetadata } });
    return playedAs(frames, "");
  },
  body(turn) {
    const parts: Wire[] = [];
    if (turn.reasoning !== "") parts.push({ text: turn.reasoning, thought: true });
    if (turn.text !== "") parts.push({ text: turn.text });
    parts.push(...turn.calls.map(callPart));
    const candidate = { content: { role: "model", parts }, finishReason: reasons[turn.finish], index: 0 };
    return { ...answer(turn, candidate), usageMetadata: turn.usage ?? usageMetadata };
  },
};

const usageMetadata = { promptTokenCount: 20, candidatesTokenCount: 10, totalTokenCount: 30 };

const callPart = ({ id, name, arguments: args }: Turn["calls"][number]): Wire => ({ functionCall: { id, name, args } });

const answer = ({ model, serial }: Turn, candidate: Wire): Wire => ({
  candidates: [candidate],
  modelVersion: model,
  responseId: `resp-${serial}`,
});

const reasons = { stop: "STOP", tool_calls: "STOP", length: "MAX_TOKENS", content_filter: "SAFETY" } as const;
