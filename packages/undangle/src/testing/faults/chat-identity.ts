import { byCall, callDeltas, chat, chunkLike, faultsOf, insert } from "./fault.ts";
import type { CallDelta } from "./fault.ts";
import type { Played } from "../play/played.ts";

const firsts = (played: Played): readonly CallDelta[] => callDeltas(played).filter(({ isFirst }) => isFirst);
const others = (played: Played): readonly CallDelta[] => callDeltas(played).filter(({ isFirst }) => !isFirst);

/** Ids, indexes, names and types of calls. */
export const chatIdentity = faultsOf({
  "id-null-first": {
    seen: "relays: the first delta has null for the id and the name, the second one has them",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { frame, call, called } of firsts(played)) {
        const empty = { ...call, id: null, function: { name: null, arguments: "" } };
        insert(played, frame, "before", [chunkLike(frame, { delta: { tool_calls: [empty] } })]);
        called["arguments"] = "";
      }
    },
  },
  "id-last": {
    seen: "relays: the id comes with the last delta of the call",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const deltas of byCall(played)) {
        const [first] = deltas;
        const last = deltas.at(-1);
        if (first === undefined || last === undefined || first === last) continue;
        last.call["id"] = first.call["id"];
        delete first.call["id"];
      }
    },
  },
  "id-null-later": {
    seen: "SGLang: nulls for the id, the name and the type on every later delta",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { call, called } of others(played)) {
        Object.assign(call, { id: null, type: null });
        called["name"] = null;
      }
    },
  },
  "id-blank-later": {
    seen: "DashScope, GLM: empty texts for the id and the name on every later delta",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { call, called } of others(played)) {
        Object.assign(call, { id: "", type: "function" });
        called["name"] = "";
      }
    },
  },
  "id-never": {
    seen: "NVIDIA NIM, GLM relays: no id at all",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { call } of firsts(played)) delete call["id"];
    },
  },
  "id-repeated": {
    seen: "LiteLLM, DeepSeek, Qwen: the id and the type on every delta",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const [first, ...rest] of byCall(played)) {
        for (const { call } of rest) Object.assign(call, { id: first?.call["id"], type: "function" });
      }
    },
  },
  "id-changes": {
    seen: "Poolside: every later delta has another id",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const [first, ...rest] of byCall(played)) {
        for (const { call } of rest) call["id"] = `${String(first?.call["id"])}_b`;
      }
    },
  },
  "id-number": {
    seen: "NVIDIA NIM, MiniMax: the id is a number",
    formats: chat,
    outcome: "same",
    apply(played) {
      firsts(played).forEach(({ call }, i) => {
        call["id"] = 800_000 + i;
      });
    },
  },
  "id-shared": {
    seen: "DeepSeek, Zhipu: all calls have the same id",
    formats: chat,
    outcome: "same",
    apply(played) {
      const [first] = firsts(played);
      for (const { call } of firsts(played)) call["id"] = first?.call["id"];
    },
  },
  "index-zero": {
    seen: "Ollama /v1, Gemini bridges: every call has the index 0",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { call } of callDeltas(played)) call["index"] = 0;
    },
  },
  "index-missing": {
    seen: "mistral.rs, Gemini compatibility: no index at all",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { call } of callDeltas(played)) delete call["index"];
    },
  },
  "index-null": {
    seen: "grok2api: the index is null",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { call } of callDeltas(played)) call["index"] = null;
    },
  },
  "index-from-one": {
    seen: "GPT-5 through LiteLLM: the first index is 1",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { call, index } of callDeltas(played)) call["index"] = index + 1;
    },
  },
  "index-negative": {
    seen: "bedrock-access-gateway: the first index is -1",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { call, index } of callDeltas(played)) call["index"] = index - 1;
    },
  },
  "name-late": {
    seen: "vmlx, vLLM: the name comes after the arguments have begun",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const deltas of byCall(played)) {
        const [first, second] = deltas;
        if (first === undefined || second === undefined) continue;
        second.called["name"] = first.called["name"];
        delete first.called["name"];
      }
    },
  },
  "name-split": {
    seen: "Gemini, as Continue reports: the name in two pieces",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { frame, call, called } of firsts(played)) {
        const name = String(called["name"]);
        const half = Math.ceil(name.length / 2);
        called["name"] = name.slice(0, half);
        const rest = { index: call["index"], function: { name: name.slice(half) } };
        insert(played, frame, "behind", [chunkLike(frame, { delta: { tool_calls: [rest] } })]);
      }
    },
  },
  "name-repeated": {
    seen: "Fireworks, Kimi: the name on every delta",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const [first, ...rest] of byCall(played)) {
        for (const { called } of rest) called["name"] = first?.called["name"];
      }
    },
  },
  "name-decorated": {
    seen: "GLM, Kimi, gpt-oss on vLLM: white space and control tokens around the name",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { called } of firsts(played)) called["name"] = ` ${String(called["name"])}<|channel|>commentary`;
    },
  },
  "type-missing": {
    seen: "Azure AI Foundry: no type",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { call } of callDeltas(played)) delete call["type"];
    },
  },
  "phantom-entry": {
    seen: "relays: an entry more, with nothing in it",
    formats: chat,
    outcome: "same",
    apply(played) {
      const last = callDeltas(played).at(-1);
      if (last === undefined) return;
      const empty = { index: last.index + 1, id: null, type: "function", function: { name: null, arguments: "" } };
      insert(played, last.frame, "behind", [chunkLike(last.frame, { delta: { tool_calls: [empty] } })]);
    },
  },
});
