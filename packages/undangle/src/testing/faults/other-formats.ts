import type { Frame, Played, Wire } from "../play/played.ts";
import { faultsOf, textIn } from "./fault.ts";

const typeOf = ({ data }: Frame): string => String(data["type"]);
const wireIn = (holder: Wire, key: string): Wire => (holder[key] as Wire | undefined) ?? {}; // the player made it

/** The parts of a Gemini chunk. */
function partsOf({ data }: Frame): Wire[] {
  const candidate = (data["candidates"] as Wire[] | undefined)?.[0]; // the player made it
  return (wireIn(candidate ?? {}, "content")["parts"] as Wire[] | undefined) ?? [];
}

const callsOf = (played: Played): Wire[] =>
  played.frames
    .flatMap(partsOf)
    .flatMap((part) => (part["functionCall"] === undefined ? [] : [wireIn(part, "functionCall")]));

/** What goes wrong in formats other than chat. */
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
    seen: "compatible endpoints: the whole input in content_block_start, and no delta",
    formats: ["anthropic"],
    outcome: "same",
    apply(played) {
      const inputs = new Map<unknown, string>();
      for (const { data } of played.frames) {
        const json = wireIn(data, "delta")["partial_json"];
        if (typeof json === "string") inputs.set(data["index"], (inputs.get(data["index"]) ?? "") + json);
      }
      for (const frame of played.frames) {
        const block = wireIn(frame.data, "content_block");
        if (block["type"] === "tool_use")
          block["input"] = JSON.parse(inputs.get(frame.data["index"]) || "{}") as unknown;
      }
      played.frames = played.frames.filter(({ data }) => wireIn(data, "delta")["type"] !== "input_json_delta");
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
    seen: "Gemini: null for the arguments of a call without any",
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
      const reasons = played.frames.map(({ data }) => (data["candidates"] as Wire[])[0]); // the player made it
      if (reasons.at(-1)?.["finishReason"] !== "STOP") return;
      for (const candidate of reasons) if (candidate !== undefined) candidate["finishReason"] = "STOP";
    },
  },
  "gemini-snake-case": {
    seen: "REST bridges: keys with underscores",
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
    seen: "Copilot: another item id in every event",
    formats: ["openai-responses"],
    outcome: "same",
    apply(played) {
      played.frames.forEach(({ data }, i) => {
        if (data["item_id"] !== undefined) data["item_id"] = `${textIn(data, "item_id")}_${i}`;
        const item = data["item"] as Wire | undefined; // the player made it
        if (item !== undefined) data["item"] = { ...item, id: `${textIn(item, "id")}_${i}` };
      });
    },
  },
  "responses-no-deltas": {
    seen: "llama.cpp: arguments only in the done events",
    formats: ["openai-responses"],
    outcome: "same",
    apply(played) {
      played.frames = played.frames.filter((frame) => typeOf(frame) !== "response.function_call_arguments.delta");
    },
  },
  "responses-no-done": {
    seen: "vLLM: no done events, and an empty output at the end",
    formats: ["openai-responses"],
    outcome: "same",
    apply(played) {
      played.frames = played.frames.filter((frame) => !typeOf(frame).endsWith(".done"));
      const last = played.frames.at(-1)?.data;
      if (last !== undefined) last["response"] = { ...wireIn(last, "response"), output: [] };
    },
  },
  "ollama-no-ids": {
    seen: "Ollama before ids",
    formats: ["ollama"],
    outcome: "same",
    apply(played) {
      for (const { data } of played.frames) {
        for (const call of (wireIn(data, "message")["tool_calls"] as Wire[] | undefined) ?? []) delete call["id"];
      }
    },
  },
  "ollama-call-at-end": {
    seen: "Ollama: the calls stand in the last line",
    formats: ["ollama"],
    outcome: "same",
    apply(played) {
      const last = played.frames.at(-1);
      const calls = played.frames.flatMap(
        ({ data }) => (wireIn(data, "message")["tool_calls"] as Wire[] | undefined) ?? [],
      );
      if (last === undefined || calls.length === 0) return;
      played.frames = played.frames.filter(({ data }) => wireIn(data, "message")["tool_calls"] === undefined);
      last.data["message"] = { ...wireIn(last.data, "message"), tool_calls: calls };
    },
  },
});
