import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { judge } from "../judge/judge.ts";

/** A server that answers like a provider: it refuses a history that is not whole, in the provider's words. */
export interface RefusingServer {
  readonly url: string;
  /** The bodies that it was sent. */
  readonly bodies: readonly { readonly messages: readonly Record<string, unknown>[] }[];
  close(): Promise<void>;
}

const openai = {
  refusal:
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ",
  answer: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "gpt-4o",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "All good." } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
};

const anthropic = {
  refusal:
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: each `tool_use` block must have a corresponding `tool_result` block in the next message. ",
  answer: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [{ type: "text", text: "All good." }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
};

/** Starts a server that stands for OpenAI or for Anthropic. */
export async function startRefusing(format: "openai-chat" | "anthropic"): Promise<RefusingServer> {
  const { refusal, answer } = format === "anthropic" ? anthropic : openai;
  const bodies: RefusingServer["bodies"][number][] = [];
  const answerTo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    bodies.push(body);
    const [verdict] = judge(body, { format });
    const error = { type: "invalid_request_error", message: refusal + (verdict?.text ?? "") };
    response.writeHead(verdict === undefined ? 200 : 400, { "content-type": "application/json" });
    response.end(JSON.stringify(verdict === undefined ? answer : { type: "error", error }));
  };
  const server = createServer((request, response) => void answerTo(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function readBody(request: IncomingMessage): Promise<RefusingServer["bodies"][number]> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding was set
  return JSON.parse(Buffer.concat(chunks).toString()) as RefusingServer["bodies"][number]; // what the client wrote
}
