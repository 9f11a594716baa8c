import { streamFormats } from "#codecs";

import type { Frame, Played, Wire } from "../play/played.ts";
import { piecesByCall } from "./anthropic-stream.ts";
import { byCall, choiceOf, endingsOf, hasReason } from "./chat-stream.ts";
import { chat, faultsOf, textIn } from "./fault.ts";
import type { WireFormat } from "./fault.ts";

const texts: readonly WireFormat[] = streamFormats.filter((format) => format !== "bedrock");

/** Keeps the first frames only. */
function keep(played: Played, part: number): void {
  played.frames = played.frames.slice(0, Math.max(1, Math.floor(played.frames.length * part)));
  played.end = "";
}

/** Keeps the first half of the arguments. */
function halve(holder: Wire, key: string): void {
  const text = textIn(holder, key) || "{}"; // Anthropic sends nothing for no arguments
  holder[key] = text.slice(0, Math.floor(text.length / 2));
}

/** Faults at the end of streams. */
export const endings = faultsOf({
  "finish-stop": {
    seen: "Gemini compatibility, Ollama: the finish reason is stop although there are calls",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const ending of endingsOf(played)) {
        if (ending["finish_reason"] === "tool_calls") ending["finish_reason"] = "stop";
      }
    },
  },
  "finish-twice": {
    seen: "OpenRouter: two finish reasons",
    formats: chat,
    outcome: "same",
    apply(played) {
      const frame = played.frames.findLast(hasReason);
      if (frame !== undefined) played.frames.push(structuredClone(frame));
    },
  },
  "finish-blank": {
    seen: "GLM: an empty finish reason on every chunk before the last",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { data } of played.frames) {
        const choice = choiceOf(data);
        if (choice?.["finish_reason"] === null) choice["finish_reason"] = "";
      }
    },
  },
  "finish-early": {
    seen: "SenseNova: the finish reason comes before the last deltas",
    formats: chat,
    outcome: "same",
    apply(played) {
      const frame = played.frames.findLast(hasReason);
      if (frame === undefined || played.frames.length < 3) return;
      played.frames = played.frames.filter((each) => each !== frame);
      played.frames.splice(-1, 0, frame);
    },
  },
  "finish-missing": {
    seen: "NVIDIA NIM: no finish reason, only [DONE]",
    formats: chat,
    outcome: "same",
    apply(played) {
      if (played.end === "") return; // otherwise nothing marks the turn as complete
      for (const ending of endingsOf(played)) {
        const isPlain = ["stop", "tool_calls", "function_call"].includes(textIn(ending, "finish_reason"));
        if (isPlain) ending["finish_reason"] = null;
      }
    },
  },
  "done-missing": {
    seen: "Workers AI: no [DONE]",
    formats: chat,
    outcome: "same",
    apply(played) {
      if (played.frames.some(hasReason)) played.end = ""; // otherwise nothing would mark the turn as complete
    },
  },
  "length-as-tool-calls": {
    seen: "vLLM, routers: the token limit truncates the last call, but the finish reason is tool_calls",
    formats: ["openai-chat", "anthropic"],
    outcome: "incomplete",
    apply(played) {
      const called = byCall(played)
        .at(-1)
        ?.findLast((delta) => textIn(delta.called, "arguments") !== "")?.called;
      if (called !== undefined) halve(called, "arguments");
      const pieces = piecesByCall(played).at(-1);
      const piece = pieces?.findLast(({ delta }) => textIn(delta, "partial_json") !== "") ?? pieces?.at(-1);
      if (piece !== undefined) halve(piece.delta, "partial_json");
    },
  },
  cut: {
    seen: "every provider: the connection is lost",
    formats: streamFormats,
    outcome: "incomplete",
    apply(played) {
      played.transport.cutAt = 0.6;
    },
  },
  "cut-quietly": {
    seen: "proxies: a truncated stream ends like a complete stream",
    formats: texts,
    outcome: "incomplete",
    apply: (played) => keep(played, 0.6),
  },
  "error-in-stream": {
    seen: "OpenRouter, Anthropic, Gemini, Ollama: an error inside a response with status 200",
    formats: streamFormats,
    outcome: "error",
    apply(played) {
      const frame = errorFrame(played);
      keep(played, 0.5);
      played.frames.push(frame);
    },
  },
  "error-text": {
    seen: "LM Studio: the error is a plain string",
    formats: ["openai-chat", "ollama"],
    outcome: "error",
    apply(played) {
      keep(played, 0.5);
      played.frames.push({ data: { error: "context overflow" } });
    },
  },
  "error-reason": {
    seen: "Gemini: the finish reason MALFORMED_FUNCTION_CALL, and no call",
    formats: ["gemini"],
    outcome: "error",
    apply(played) {
      const [first] = played.frames;
      const candidate = { finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "Malformed function call", index: 0 };
      played.frames = [{ data: { ...first?.data, candidates: [candidate] } }];
    },
  },
  "usage-last": {
    seen: "OpenAI with include_usage: a chunk with usage and no choices after the finish reason",
    formats: chat,
    outcome: "same",
    apply(played) {
      const frame = played.frames.findLast(({ data }) => choiceOf(data) !== undefined);
      if (frame === undefined) return;
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      played.frames.push({ data: { ...frame.data, choices: [], usage } });
    },
  },
});

/** A mid-stream error in the format of the provider. */
function errorFrame({ frames, transport }: Played): Frame {
  const [first] = frames;
  const data: Wire = first?.data ?? {};
  if (transport.kind === "events")
    return { event: "modelStreamErrorException", data: { message: "The model failed." } };
  if (transport.kind === "lines") return { data: { error: "an error was encountered while running the model" } };
  if ("candidates" in data) return { data: { error: { code: 503, message: "overloaded", status: "UNAVAILABLE" } } };
  if (data["type"] === "message_start") {
    return { event: "error", data: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } };
  }
  if (data["type"] === "response.created") {
    return {
      event: "error",
      data: { type: "error", code: "server_error", message: "The server failed.", param: null },
    };
  }
  return { data: { error: { code: 502, message: "Provider disconnected" } } };
}
