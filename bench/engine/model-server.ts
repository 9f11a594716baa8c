// A provider of the chat format in a process of its own, so that its work is not counted. The path says how many calls a step has:
// `/16/v1/chat/completions`.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { callsOf, finalText, stepsWithCalls } from "./workload.ts";
import type { ChatMessage } from "./workload.ts";

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const { messages, stream } = JSON.parse(Buffer.concat(parts).toString()) as Asked; // of the contenders
    const step = messages.length - 1 - messages.findLastIndex(({ role }) => role === "user");
    const count = Number(/\d+/u.exec(request.url ?? "")?.[0]);
    const done = Math.round(step / (count + 1)); // a message with the calls, and a result for each
    const calls = done < stepsWithCalls ? callsOf(done, count) : [];
    response.setHeader("content-type", stream === true ? "text/event-stream" : "application/json");
    response.end(stream === true ? eventsOf(calls) : JSON.stringify(completionOf(calls)));
  });
});

interface Asked {
  readonly messages: readonly ChatMessage[];
  readonly stream?: boolean;
}

type Calls = ReturnType<typeof callsOf>;

const envelope = { id: "chatcmpl-1", created: 1_767_225_600, model: "bench", service_tier: "default" };
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const toolCalls = (calls: Calls) =>
  calls.map(({ id, name, arguments: args }, index) => ({
    index,
    id,
    type: "function",
    function: { name, arguments: args },
  }));

function completionOf(calls: Calls) {
  const message =
    calls.length > 0
      ? { role: "assistant", content: null, tool_calls: toolCalls(calls) }
      : { role: "assistant", content: finalText };
  const choice = { index: 0, message, finish_reason: calls.length > 0 ? "tool_calls" : "stop" };
  return { ...envelope, object: "chat.completion", choices: [choice], usage };
}

/** Arguments in deltas of about a token, and a random `obfuscation` in each event, as OpenAI sends them. */
function eventsOf(calls: Calls): string {
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

server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port)); // it listens on a port
process.once("disconnect", () => process.exit());
