import { request } from "node:http";
import type { Agent } from "node:http";

export interface Asked {
  /** Milliseconds to the first byte and to the last. */
  readonly first: number;
  readonly whole: number;
  readonly threadId: string;
}

/** Asks the chat endpoint for a stream and reads it to its end; anything but a whole answer is an error. */
export function askChat(url: string, agent: Agent, threadId?: string): Promise<Asked> {
  const messages = [{ role: "user", content: "What do you see?" }];
  const body = JSON.stringify({ messages, stream: true, ...(threadId !== undefined && { thread_id: threadId }) });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/chat/completions`, { method: "POST", agent, headers }, (response) => {
      let first = 0;
      let end = "";
      response.on("data", (piece: Buffer) => {
        first ||= performance.now() - begin;
        end = (end + piece.toString("latin1")).slice(-400);
      });
      response.on("error", reject);
      response.on("close", () => {
        const isWhole = response.statusCode === 200 && end.endsWith("data: [DONE]\n\n");
        const id = decodeURIComponent(String(response.headers["x-undangle-thread"] ?? ""));
        if (isWhole) resolve({ first, whole: performance.now() - begin, threadId: id });
        else reject(new Error(`${response.statusCode}: ${end}`));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
