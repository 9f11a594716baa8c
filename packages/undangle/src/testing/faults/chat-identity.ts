import type { Played } from "../play/played.ts";
import {
  behind,
  byCall,
  callDeltas,
  chunkLike,
  idHolder,
  insert,
  isGiven,
  isNameSplit,
  nameHolders,
  nameOf,
} from "./chat-stream.ts";
import type { CallDelta } from "./chat-stream.ts";
import { chat, faultsOf, textIn } from "./fault.ts";

/** The deltas after the first of their call. */
const later = (played: Played): readonly CallDelta[] => byCall(played).flatMap(([, ...rest]) => rest);

/** Moves the indexes that are numbers. */
function shiftIndexes(played: Played, step: number): void {
  for (const { call } of callDeltas(played)) {
    if (typeof call["index"] === "number") call["index"] += step;
  }
}

/** Ids, indexes, names and types of calls. */
export const chatIdentity = faultsOf({
  "id-null-first": {
    seen: "relays: the id and the name are null in the first delta and present in the second",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const [first] of byCall(played)) {
        if (first === undefined) continue;
        const empty = { ...first.call, id: null, function: { name: null, arguments: "" } };
        insert(played, first.frame, "before", chunkLike(first.frame, { tool_calls: [empty] }));
      }
    },
  },
  "id-last": {
    seen: "relays: the id comes with the last delta of the call",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const deltas of byCall(played)) {
        const id = idHolder(deltas)?.call["id"];
        const last = deltas.at(-1);
        if (id === undefined || last === undefined) continue;
        for (const { call } of deltas) delete call["id"];
        last.call["id"] = id;
      }
    },
  },
  "id-null-later": {
    seen: "SGLang: the id, the name and the type are null on every later delta",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { call, called } of later(played)) {
        call["id"] ??= null;
        call["type"] ??= null;
        called["name"] ??= null;
      }
    },
  },
  "id-blank-later": {
    seen: "DashScope, GLM: the id and the name are empty strings on every later delta",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { call, called } of later(played)) {
        call["id"] ??= "";
        call["type"] ??= "function";
        called["name"] ??= "";
      }
    },
  },
  "id-never": {
    seen: "NVIDIA NIM, GLM relays: no id at all",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { call } of callDeltas(played)) if (isGiven(call["id"])) delete call["id"];
    },
  },
  "id-repeated": {
    seen: "LiteLLM, DeepSeek, Qwen: the id and the type on every delta",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const deltas of byCall(played)) {
        const holder = idHolder(deltas);
        if (holder === undefined) continue;
        for (const { call } of behind(deltas, holder)) {
          if (!isGiven(call["id"])) call["id"] = holder.call["id"];
          call["type"] ??= "function";
        }
      }
    },
  },
  "id-changes": {
    seen: "Poolside: every later delta has a different id",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const deltas of byCall(played)) {
        const holder = idHolder(deltas);
        if (holder === undefined) continue;
        // With a name it would be a separate call.
        const unnamed = behind(deltas, holder).filter(({ called }) => !isGiven(called["name"]));
        for (const { call } of unnamed) call["id"] = `${String(holder.call["id"])}_b`;
      }
    },
  },
  "id-number": {
    seen: "NVIDIA NIM, MiniMax: the id is a number",
    formats: chat,
    outcome: "same",
    apply(played) {
      const numbers = new Map<unknown, number>();
      for (const { call } of callDeltas(played)) {
        const { id } = call;
        if (typeof id !== "string" || id === "") continue;
        const number = numbers.get(id) ?? 800_000 + numbers.size;
        numbers.set(id, number);
        call["id"] = number;
      }
    },
  },
  "id-shared": {
    seen: "DeepSeek, Zhipu: all calls have the same id",
    formats: chat,
    outcome: "same",
    apply(played) {
      const ids = byCall(played).map((deltas) => idHolder(deltas)?.call["id"]);
      const shared = ids.find(isGiven);
      byCall(played).forEach((deltas, i) => {
        for (const { call } of deltas) if (isGiven(call["id"]) && call["id"] === ids[i]) call["id"] = shared;
      });
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
    apply: (played) => shiftIndexes(played, 1),
  },
  "index-negative": {
    seen: "bedrock-access-gateway: the first index is -1",
    formats: chat,
    outcome: "same",
    apply: (played) => shiftIndexes(played, -1),
  },
  "name-late": {
    seen: "vmlx, vLLM: the name comes after the first arguments",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const deltas of byCall(played)) {
        const [holder] = nameHolders(deltas);
        const next = holder && behind(deltas, holder)[0];
        if (next === undefined || isNameSplit(deltas)) continue;
        next.called["name"] = holder?.called["name"];
        delete holder?.called["name"];
      }
    },
  },
  "name-split": {
    seen: "Gemini, as Continue reports: the name is split over two deltas",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const deltas of byCall(played)) {
        const [holder, ...more] = nameHolders(deltas);
        if (holder === undefined || more.length > 0) continue;
        const name = textIn(holder.called, "name");
        const half = Math.ceil(name.length / 2);
        // Two equal halves would read as a repeated name.
        const at = name.slice(0, half) === name.slice(half) ? half + 1 : half;
        if (at >= name.length) continue;
        const { arguments: args = "" } = holder.called;
        Object.assign(holder.called, { name: name.slice(0, at), arguments: "" });
        // The name is complete before the arguments start.
        const called = { name: name.slice(at), ...(args === "" ? {} : { arguments: args }) };
        const rest = { index: holder.call["index"], function: called };
        insert(played, holder.frame, "behind", chunkLike(holder.frame, { tool_calls: [rest] }));
      }
    },
  },
  "name-repeated": {
    seen: "Fireworks, Kimi: the name on every delta",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const deltas of byCall(played)) {
        const [holder] = nameHolders(deltas);
        if (holder === undefined || isNameSplit(deltas)) continue;
        const id = idHolder(deltas)?.call["id"];
        for (const { call, called } of behind(deltas, holder)) {
          // With another id it would be a separate call.
          if (!isGiven(call["id"]) || call["id"] === id) called["name"] = nameOf(deltas);
        }
      }
    },
  },
  "name-decorated": {
    seen: "GLM, Kimi, gpt-oss on vLLM: white space and control tokens around the name",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const deltas of byCall(played)) {
        const names = nameHolders(deltas);
        const starts = isNameSplit(deltas) ? names.slice(0, 1) : names;
        const ends = isNameSplit(deltas) ? names.slice(-1) : names;
        for (const { called } of starts) called["name"] = ` ${textIn(called, "name")}`;
        for (const { called } of ends) called["name"] = `${textIn(called, "name")}<|channel|>commentary`;
      }
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
    seen: "relays: an extra, empty entry",
    formats: chat,
    outcome: "same",
    apply(played) {
      const deltas = callDeltas(played);
      const last = deltas.at(-1);
      if (last === undefined) return;
      const numbers = deltas.map(({ call }) => call["index"]).filter((index) => typeof index === "number");
      const index = typeof last.call["index"] === "number" ? Math.max(...numbers) + 1 : last.call["index"];
      const empty = { index, id: null, type: "function", function: { name: null, arguments: "" } };
      const { data } = chunkLike(last.frame, { tool_calls: [empty] });
      insert(played, last.frame, "behind", { data }); // belongs to no call
    },
  },
});
