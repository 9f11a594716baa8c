import type { Frame, Played, Wire } from "../play/played.ts";
import { faultsOf, objectIn, textIn } from "./fault.ts";

const typeOf = ({ data }: Frame): string => String(data["type"]);
const wireIn = (holder: Wire, key: string): Wire => (holder[key] as Wire | undefined) ?? {}; // written by the player

const argumentsDelta = "response.function_call_arguments.delta";
const argumentsDone = "response.function_call_arguments.done";

/** The parts of a Gemini chunk. */
function partsOf({ data }: Frame): Wire[] {
  const candidate = (data["candidates"] as Wire[] | undefined)?.[0]; // written by the player
  return (wireIn(candidate ?? {}, "content")["parts"] as Wire[] | undefined) ?? [];
}

/** The calls of a Gemini stream, in either spelling. */
const callsOf = (played: Played): Wire[] =>
  played.frames
    .flatMap(partsOf)
    .flatMap((part) =>
      ["functionCall", "function_call"].flatMap((key) => (part[key] === undefined ? [] : [wireIn(part, key)])),
    );

/** The calls in a line of an Ollama stream. */
const callsIn = ({ data }: Frame): Wire[] => (wireIn(data, "message")["tool_calls"] as Wire[] | undefined) ?? []; // written by the player

/** Faults of formats other than chat. */
export const otherFormats = faultsOf({
  "anthropic-pings": {
    seen: "Anthropic: a ping between any two events",
    formats: ["anthropic"],
    outcome: "same",
    apply(played) {
      played.frames = played.frames.flatMap((frame) => [frame, { event: "ping", data: { type: "ping" } }]);
    },
  },
  "anthropic-input-at-start": {
    seen: "compatible endpoints: the whole input is in content_block_start, without deltas",
    formats: ["anthropic"],
    outcome: "same",
    apply(played) {
      const texts = new Map<unknown, string>();
      for (const { data } of played.frames) {
        const json = wireIn(data, "delta")["partial_json"];
        if (typeof json === "string") texts.set(data["index"], (texts.get(data["index"]) ?? "") + json);
      }
      const inputs = new Map([...texts].map(([index, text]) => [index, objectIn(text || "{}")]));
      for (const { data } of played.frames) {
        const input = inputs.get(data["index"]);
        if (data["type"] === "content_block_start" && input !== undefined)
          wireIn(data, "content_block")["input"] = input;
      }
      played.frames = played.frames.filter(
        ({ data }) => wireIn(data, "delta")["type"] !== "input_json_delta" || inputs.get(data["index"]) === undefined,
      );
    },
  },
  "anthropic-ids-shared": {
    seen: "Kimi Coding: two calls with the same id",
    formats: ["anthropic"],
    outcome: "same",
    apply(played) {
      const blocks = played.frames
        .map(({ data }) => wireIn(data, "content_block"))
        .filter(({ type }) => type === "tool_use");
      for (const block of blocks) block["id"] = blocks[0]?.["id"];
    },
  },
  "anthropic-no-events": {
    seen: "compatible endpoints: no event names",
    formats: ["anthropic", "openai-responses"],
    outcome: "same",
    apply(played) {
      played.frames = played.frames.map(({ data }) => ({ data }));
    },
  },
  "gemini-no-ids": {
    seen: "Gemini before 3: calls have no ids",
    formats: ["gemini"],
    outcome: "same",
    apply(played) {
      for (const call of callsOf(played)) delete call["id"];
    },
  },
  "gemini-args-null": {
    seen: "Gemini: null as the arguments of a call without arguments",
    formats: ["gemini"],
    outcome: "same",
    apply(played) {
      for (const call of callsOf(played)) if (Object.keys(wireIn(call, "args")).length === 0) call["args"] = null;
    },
  },
  "gemini-early-stop": {
    seen: "proxies: STOP on every chunk",
    formats: ["gemini"],
    outcome: "same",
    apply(played) {
      const candidates = played.frames.map(({ data }) => (data["candidates"] as Wire[] | undefined)?.[0]); // written by the player
      if (candidates.at(-1)?.["finishReason"] !== "STOP") return;
      for (const candidate of candidates) if (candidate !== undefined) candidate["finishReason"] = "STOP";
    },
  },
  "gemini-snake-case": {
    seen: "REST bridges: keys in snake case",
    formats: ["gemini"],
    outcome: "same",
    apply(played) {
      for (const part of played.frames.flatMap(partsOf)) {
        if (part["functionCall"] === undefined) continue;
        part["function_call"] = part["functionCall"];
        delete part["functionCall"];
      }
    },
  },
  "responses-item-ids": {
    seen: "Copilot: a different item id in every event",
    formats: ["openai-responses"],
    outcome: "same",
    apply(played) {
      played.frames.forEach(({ data }, i) => {
        if (data["item_id"] !== undefined) data["item_id"] = `${textIn(data, "item_id")}_${i}`;
        const item = data["item"] as Wire | undefined; // written by the player
        if (item !== undefined) data["item"] = { ...item, id: `${textIn(item, "id")}_${i}` };
      });
    },
  },
  "responses-no-deltas": {
    seen: "llama.cpp: arguments only in the done events",
    formats: ["openai-responses"],
    outcome: "same",
    apply(played) {
      // Without the done events nothing else contains the arguments.
      if (!played.frames.some((frame) => typeOf(frame) === argumentsDone)) return;
      played.frames = played.frames.filter((frame) => typeOf(frame) !== argumentsDelta);
    },
  },
  "responses-no-done": {
    seen: "vLLM: no done events, and an empty output at the end",
    formats: ["openai-responses"],
    outcome: "same",
    apply(played) {
      const last = played.frames.at(-1)?.data;
      const has = (type: string): boolean => played.frames.some((frame) => typeOf(frame) === type);
      // Without the deltas nothing else contains the arguments.
      if (last?.["response"] === undefined || (has(argumentsDone) && !has(argumentsDelta))) return;
      played.frames = played.frames.filter((frame) => !typeOf(frame).endsWith(".done"));
      last["response"] = { ...wireIn(last, "response"), output: [] };
    },
  },
  "ollama-no-ids": {
    seen: "Ollama, older versions: calls have no ids",
    formats: ["ollama"],
    outcome: "same",
    apply(played) {
      for (const call of played.frames.flatMap(callsIn)) delete call["id"];
    },
  },
  "ollama-call-at-end": {
    seen: "Ollama: the calls are in the last line",
    formats: ["ollama"],
    outcome: "same",
    apply(played) {
      const last = played.frames.at(-1);
      const calls = played.frames.flatMap(callsIn);
      if (last?.data["done"] !== true || calls.length === 0) return;
      played.frames = played.frames.filter((frame) => frame === last || callsIn(frame).length === 0);
      last.data["message"] = { ...wireIn(last.data, "message"), tool_calls: calls };
    },
  },
});
