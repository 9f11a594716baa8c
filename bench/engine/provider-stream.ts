import { finalText } from "./workload.ts";
import type { callsOf } from "./workload.ts";

type Calls = ReturnType<typeof callsOf>;

let responses = 0;
const newEnvelope = () => ({ id: `chatcmpl-${responses++}`, created: 1_767_225_600, model: "bench" });
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const toolCalls = (calls: Calls) =>
  calls.map(({ id, name, arguments: args }, index) => ({
    index,
    id,
    type: "function",
    function: { name, arguments: args },
  }));

/** A response that is not streamed. */
export function completionOf(calls: Calls) {
  const message =
    calls.length > 0
      ? { role: "assistant", content: null, tool_calls: toolCalls(calls) }
      : { role: "assistant", content: finalText };
  const choice = { index: 0, message, finish_reason: calls.length > 0 ? "tool_calls" : "stop" };
  return { ...newEnvelope(), object: "chat.completion", choices: [choice], usage };
}

/** Arguments in deltas of about a token, and a random `obfuscation` in each event, as OpenAI sends them. */
export function eventsOf(calls: Calls): string {
  const envelope = newEnvelope();
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({
      ...envelope,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      obfuscation: Math.random().toString(36).slice(2),
    })}\n\n`;
  const deltas = calls.flatMap(({ id, name, arguments: args }, index) => [
    chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
    ...(args.match(/.{1,8}/gu) ?? []).map((text) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })),
  ]);
  const text = calls.length > 0 ? [] : (finalText.match(/.{1,8}/gu) ?? []).map((content) => chunk({ content }));
  const end = chunk({}, calls.length > 0 ? "tool_calls" : "stop");
  return [chunk({ role: "assistant", content: null }), ...deltas, ...text, end, "data: [DONE]\n\n"].join("");
}
