import type { Wire } from "../play/played.ts";
import {
  argumentsOf,
  byCall,
  callDeltas,
  choiceOf,
  chunkLike,
  deltaOf,
  endingsOf,
  idHolder,
  inOneDelta,
  insert,
  nameOf,
  removeDelta,
} from "./chat-stream.ts";
import { chat, faultsOf, objectIn, textIn } from "./fault.ts";

/** Faults of arguments and of content around calls. */
export const chatContent = faultsOf({
  "arguments-absent": {
    seen: "vLLM: no arguments key in the first delta, an empty function in a later delta",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const deltas of byCall(played)) {
        const [first] = deltas;
        const last = deltas.at(-1);
        if (first === undefined || last === undefined) continue;
        if (first.called["arguments"] === "") delete first.called["arguments"];
        const empty = { index: last.call["index"], function: {} };
        insert(played, last.frame, "behind", chunkLike(last.frame, { tool_calls: [empty] }));
      }
    },
  },
  "arguments-object": {
    seen: "MiniMax, Ollama through LiteLLM: the arguments are an object instead of a string",
    formats: chat,
    outcome: "same",
    apply: (played) => inOneDelta(played, objectIn),
  },
  "arguments-placeholder": {
    seen: "Anthropic bridges: an empty object before the arguments",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const deltas of byCall(played)) {
        const at = deltas.findIndex(({ called }) => textIn(called, "arguments") !== "");
        const before = deltas[at - 1];
        if (before !== undefined && argumentsOf(deltas) !== undefined) before.called["arguments"] = "{}";
      }
    },
  },
  "arguments-cumulative": {
    seen: "DeepSeek on Qianfan: every delta repeats all arguments so far",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const deltas of byCall(played)) {
        if (argumentsOf(deltas) === undefined) continue;
        let soFar = "";
        for (const { called } of deltas) {
          if (called["arguments"] === undefined) continue;
          soFar += textIn(called, "arguments");
          called["arguments"] = soFar;
        }
      }
    },
  },
  "arguments-resent": {
    seen: "GLM servers: the last delta repeats all arguments, the id and the name",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const deltas of byCall(played)) {
        const whole = argumentsOf(deltas);
        const last = deltas.at(-1);
        if (whole === undefined || last === undefined) continue;
        const id = idHolder(deltas)?.call["id"];
        const called = { name: nameOf(deltas), arguments: whole };
        const again = { index: last.call["index"], id, type: "function", function: called };
        insert(played, last.frame, "behind", chunkLike(last.frame, { tool_calls: [again] }));
      }
    },
  },
  "arguments-encoded": {
    seen: "Moonshot: the arguments are JSON-encoded twice",
    formats: chat,
    outcome: "same",
    apply: (played) => inOneDelta(played, (whole) => JSON.stringify(whole)),
  },
  "arguments-empty-delta": {
    seen: "vLLM: an empty delta of the call in the last chunk",
    formats: chat,
    outcome: "same",
    apply(played) {
      const last = callDeltas(played).findLast(({ frame }) => frame.call !== undefined);
      const at = played.frames.findLastIndex(({ data }) => choiceOf(data) !== undefined);
      const ending = played.frames[at];
      if (last?.frame.call === undefined || ending === undefined || deltaOf(ending)["tool_calls"] !== undefined) return;
      deltaOf(ending)["tool_calls"] = [{ index: last.call["index"], function: { arguments: "" } }];
      played.frames[at] = { ...ending, call: last.frame.call };
    },
  },
  "text-between": {
    seen: "Qwen: a line break as text between two calls",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const [first] of byCall(played)) {
        if (first === undefined) continue;
        const { data } = chunkLike(first.frame, { role: null, content: "", tool_calls: null });
        insert(played, first.frame, "before", { data });
      }
    },
  },
  "role-repeated": {
    seen: "LiteLLM: the role on every delta",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const frame of played.frames) deltaOf(frame)["role"] = "assistant";
    },
  },
  "role-missing": {
    seen: "agentgateway: no role at all",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const frame of played.frames) delete deltaOf(frame)["role"];
    },
  },
  "choices-empty": {
    seen: "Azure: chunks without choices at the beginning and at the end",
    formats: chat,
    outcome: "same",
    apply(played) {
      const [first] = played.frames;
      if (first === undefined) return;
      const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
      played.frames.unshift({ data: { ...first.data, id: "", choices: [], prompt_filter_results: [] } });
      played.frames.push({ data: { ...first.data, choices: [], usage } });
    },
  },
  "choice-index-grows": {
    seen: "Foundry Local: the index of the choice grows with every chunk",
    formats: chat,
    outcome: "same",
    apply(played) {
      played.countsChoices = true; // later faults add chunks, which count too
    },
  },
  "content-parts": {
    seen: "Mistral: content as a list of parts",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const frame of played.frames) {
        const delta = deltaOf(frame);
        const { content, reasoning_content: reasoning } = delta;
        const parts: Wire[] = [];
        if (typeof reasoning === "string") {
          parts.push({ type: "thinking", thinking: [{ type: "text", text: reasoning }] });
          delete delta["reasoning_content"];
        }
        if (typeof content === "string") parts.push({ type: "text", text: content });
        if (parts.length > 0) delta["content"] = parts;
      }
    },
  },
  "function-call": {
    seen: "old deployments: the legacy field function_call, for one call",
    formats: chat,
    outcome: "same",
    apply(played) {
      const [deltas = [], ...more] = byCall(played);
      if (deltas.length === 0 || more.length > 0) return;
      for (const { frame, called } of deltas) {
        const delta = deltaOf(frame);
        delete delta["tool_calls"];
        delta["function_call"] = called;
      }
      for (const ending of endingsOf(played)) {
        if (ending["finish_reason"] === "tool_calls") ending["finish_reason"] = "function_call";
      }
    },
  },
  "leaked-call": {
    seen: "Qwen, Hermes: the calls are written as text",
    formats: chat,
    outcome: "leaked",
    apply(played) {
      const groups = byCall(played);
      const calls = groups.flatMap((deltas) => {
        const whole = argumentsOf(deltas);
        const call = { name: nameOf(deltas), arguments: whole === undefined ? undefined : objectIn(whole) };
        return whole === undefined ? [] : [`<tool_call>\n${JSON.stringify(call)}\n</tool_call>`];
      });
      const first = groups[0]?.[0];
      if (first === undefined || calls.length < groups.length) return;
      const { data } = chunkLike(first.frame, { content: calls.join("\n") });
      insert(played, first.frame, "before", { data });
      for (const delta of callDeltas(played)) removeDelta(played, delta);
      for (const ending of endingsOf(played)) ending["finish_reason"] = "stop";
    },
  },
});
