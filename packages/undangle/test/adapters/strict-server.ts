import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { judge } from "../judge/judge.ts";
import { recordOf } from "../../src/testing/judge/loose.ts";

/** A server that speaks Chat Completions, and refuses what OpenAI refuses. */
export interface StrictServer {
  readonly url: string;
  /** The messages of every request that was taken. */
  readonly taken: unknown[][];
  /** The words of every refusal. */
  readonly refused: string[];
  readonly close: () => Promise<void>;
}

export async function startStrictServer(): Promise<StrictServer> {
  const taken: unknown[][] = [];
  const refused: string[] = [];
  const server = createServer((request, response) => void answer(request, response, { taken, refused }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  return { url: `http://127.0.0.1:${port}/v1`, taken, refused, close: () => closeServer(server) };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { taken, refused }: Pick<StrictServer, "taken" | "refused">,
): Promise<void> {
  const body = await readJson(request);
  const [verdict] = judge(body, { format: "openai-chat" });
  response.setHeader("content-type", "application/json");
  if (verdict !== undefined) {
    refused.push(verdict.id);
    response.statusCode = 400;
    response.end(JSON.stringify({ error: { message: refusal(verdict.id), type: "invalid_request_error" } }));
    return;
  }
  const { messages, stream, model } = recordOf(body);
  taken.push(messages as unknown[]); // the judge has seen a list
  const head = { id: "1", created: 1, model };
  if (stream === true) {
    response.setHeader("content-type", "text/event-stream");
    const chunk = { ...head, object: "chat.completion.chunk" };
    const delta = { ...chunk, choices: [{ index: 0, delta: { role: "assistant", content: "Done." } }] };
    const end = { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
    response.end(`${[delta, end].map((each) => `data: ${JSON.stringify(each)}\n\n`).join("")}data: [DONE]\n\n`);
    return;
  }
  const message = { role: "assistant", content: "Done." };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  response.end(JSON.stringify({ ...head, object: "chat.completion", choices, usage }));
}

const refusal = (rule: string): string =>
  rule === "OAC-UNANSWERED"
    ? "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
    : "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding was set
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
