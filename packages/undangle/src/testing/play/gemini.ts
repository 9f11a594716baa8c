import { piecesOf } from "../scripted-turn.ts";
import type { Turn } from "../scripted-turn.ts";
import { playedAs } from "./played.ts";
import type { Frame, Player, Wire } from "./played.ts";

/** Writes turns as Gemini generateContent responses: complete calls, with ids. */
export const playGemini: Player = {
  stream(turn) {
    const parts: Wire[] = [
      ...piecesOf(turn.reasoning).map((text) => ({ text, thought: true })),
      ...piecesOf(turn.text).map((text) => ({ text })),
      ...callParts(turn),
    ];
    const frames = parts.map((part): Frame => ({
      data: answer(turn, { content: { role: "model", parts: [part] }, index: 0 }),
    }));
    const end = { text: "", ...(turn.calls.length === 0 ? signed(turn) : {}) };
    const last = { content: { role: "model", parts: [end] }, finishReason: reasons[turn.finish], index: 0 };
    frames.push({ data: { ...answer(turn, last), usageMetadata: turn.usage ?? usageMetadata } });
    return playedAs(frames, "");
  },
  body(turn) {
    const parts: Wire[] = [];
    if (turn.reasoning !== "") parts.push({ text: turn.reasoning, thought: true });
    if (turn.text !== "") parts.push({ text: turn.text, ...(turn.calls.length === 0 ? signed(turn) : {}) });
    parts.push(...callParts(turn));
    const candidate = { content: { role: "model", parts }, finishReason: reasons[turn.finish], index: 0 };
    return { ...answer(turn, candidate), usageMetadata: turn.usage ?? usageMetadata };
  },
};

const usageMetadata = { promptTokenCount: 20, candidatesTokenCount: 10, totalTokenCount: 30 };

/** Of parallel calls, only the first has a signature. */
const callParts = (turn: Turn): readonly Wire[] =>
  turn.calls.map(({ id, name, arguments: args }, i) => ({
    functionCall: { id, name, args },
    ...(i === 0 ? signed(turn) : {}),
  }));

const signed = ({ seal }: Turn): Wire => (seal === undefined ? {} : { thoughtSignature: seal });

const answer = ({ model, serial }: Turn, candidate: Wire): Wire => ({
  candidates: [candidate],
  modelVersion: model,
  responseId: `resp-${serial}`,
});

const reasons = { stop: "STOP", tool_calls: "STOP", length: "MAX_TOKENS", content_filter: "SAFETY" } as const;
