import {
  argumentsOf,
  byCall,
  callDeltas,
  chat,
  choiceOf,
  chunkLike,
  deltaOf,
  faultsOf,
  insert,
  textIn,
} from "./fault.ts";
import type { Played, Wire } from "../play/played.ts";

/** Takes the deltas of every call but the first one out, and gives the first one these arguments. */
function inOneDelta(played: Played, argsOf: (whole: string) => unknown): void {
  for (const deltas of byCall(played)) {
    const whole = argumentsOf(deltas);
    const [first, ...rest] = deltas;
    if (first === undefined) continue;
    first.called["arguments"] = argsOf(whole);
    played.frames = played.frames.filter((frame) => !rest.some((delta) => delta.frame === frame));
  }
}

/** Arguments, and what stands around the calls. */
export const chatContent = faultsOf({
  "arguments-absent": {
    seen: "vLLM: no arguments key in the first delta, an empty function in a later one",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const deltas of byCall(played)) {
        const [first] = deltas;
        const last = deltas.at(-1);
        if (first === undefined || last === undefined) continue;
        if (first.called["arguments"] === "") delete first.called["arguments"];
        insert(played, last.frame, "behind", [
          chunkLike(last.frame, { delta: { tool_calls: [{ index: last.call["index"], function: {} }] } }),
        ]);
      }
    },
  },
  "arguments-object": {
    seen: "MiniMax, Ollama through LiteLLM: an object and not a text",
    formats: chat,
    outcome: "same",
    apply: (played) => inOneDelta(played, (whole) => JSON.parse(whole || "{}") as unknown),
  },
  "arguments-placeholder": {
    seen: "Anthropic bridges: an empty object before the arguments",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const [first] of byCall(played)) if (first?.called["arguments"] === "") first.called["arguments"] = "{}";
    },
  },
  "arguments-cumulative": {
    seen: "DeepSeek on Qianfan: every delta has all arguments so far",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const deltas of byCall(played)) {
        let soFar = "";
        for (const { called } of deltas) {
          soFar += textIn(called, "arguments");
          called["arguments"] = soFar;
        }
      }
    },
  },
  "arguments-resent": {
    seen: "GLM servers: the whole arguments again at the end, with the id and the name",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const deltas of byCall(played)) {
        const [first] = deltas;
        const last = deltas.at(-1);
        if (first === undefined || last === undefined) continue;
        const again = { ...first.call, function: { ...first.called, arguments: argumentsOf(deltas) } };
        insert(played, last.frame, "behind", [chunkLike(last.frame, { delta: { tool_calls: [again] } })]);
      }
    },
  },
  "arguments-encoded": {
    seen: "Moonshot: the text of a JSON text",
    formats: chat,
    outcome: "same",
    apply: (played) => inOneDelta(played, (whole) => JSON.stringify(whole)),
  },
  "arguments-in-fence": {
    seen: "local models: a code fence around the arguments",
    formats: chat,
    outcome: "malformed",
    apply: (played) => inOneDelta(played, (whole) => `\`\`\`json\n${whole}\n\`\`\``),
  },
  "arguments-trailing-comma": {
    seen: "local models: a comma too many",
    formats: chat,
    outcome: "malformed",
    apply: (played) => inOneDelta(played, (whole) => whole.replace(/\}$/u, ",}").replace(/^\{,/u, '{"a":1,')),
  },
  "arguments-empty-delta": {
    seen: "vLLM: an empty delta of the call in the last chunk",
    formats: chat,
    outcome: "same",
    apply(played) {
      const last = callDeltas(played).at(-1);
      const ending = played.frames.at(-1);
      if (last === undefined || ending === undefined) return;
      deltaOf(ending)["tool_calls"] = [{ index: last.call["index"], function: { arguments: "" } }];
    },
  },
  "text-between": {
    seen: "Qwen: a line break as text between two calls",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const { frame, isFirst } of callDeltas(played)) {
        if (isFirst)
          insert(played, frame, "before", [chunkLike(frame, { delta: { role: null, content: "", tool_calls: null } })]);
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
      played.frames.forEach(({ data }, i) => {
        const choice = choiceOf(data);
        if (choice !== undefined) choice["index"] = i;
      });
    },
  },
  "content-parts": {
    seen: "Mistral: content as a list of parts",
    formats: chat,
    outcome: "same",
    apply(played) {
      for (const frame of played.frames) {
        const delta = deltaOf(frame);
        if (typeof delta["content"] === "string") delta["content"] = [{ type: "text", text: delta["content"] }];
        if (typeof delta["reasoning_content"] !== "string") continue;
        delta["content"] = [{ type: "thinking", thinking: [{ type: "text", text: delta["reasoning_content"] }] }];
        delete delta["reasoning_content"];
      }
    },
  },
  "function-call": {
    seen: "old deployments: the old form function_call, for one call",
    formats: chat,
    outcome: "same",
    apply(played) {
      if (byCall(played).length !== 1) return;
      for (const { frame, called } of callDeltas(played)) {
        const delta = deltaOf(frame);
        delete delta["tool_calls"];
        delta["function_call"] = called;
      }
      const ending = choiceOf(played.frames.at(-1)?.data ?? {});
      if (ending?.["finish_reason"] === "tool_calls") ending["finish_reason"] = "function_call";
    },
  },
  "leaked-call": {
    seen: "Qwen, Hermes: the calls are written in the text",
    formats: chat,
    outcome: "leaked",
    apply(played) {
      const calls = byCall(played).map((deltas) => {
        const call = { name: deltas[0]?.called["name"], arguments: JSON.parse(argumentsOf(deltas) || "{}") as unknown };
        return `<tool_call>\n${JSON.stringify(call)}\n</tool_call>`;
      });
      const deltas = callDeltas(played);
      const ending = played.frames.at(-1);
      if (deltas.length === 0 || ending === undefined) return;
      played.frames = played.frames.filter((frame) => !deltas.some((delta) => delta.frame === frame));
      insert(played, ending, "before", [chunkLike(ending, { delta: { content: calls.join("\n") } satisfies Wire })]);
      Object.assign(choiceOf(ending.data) ?? {}, { finish_reason: "stop" });
    },
  },
});
