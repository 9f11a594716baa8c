import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** A server that does with a request whatever a test wants, and knows which connections are open. */
export interface RawServer {
  readonly url: string;
  readonly requests: readonly { readonly headers: IncomingMessage["headers"]; readonly body: string }[];
  /** How many requests were begun and neither answered to the end nor given up. */
  readonly open: () => number;
  /** Waits until no request is open; false when one stays open. */
  readonly isQuiet: () => Promise<boolean>;
  /** Throws when a request is open. */
  close(): Promise<void>;
}

export async function rawServer(
  answer: (response: ServerResponse, request: { readonly number: number }) => unknown,
): Promise<RawServer> {
  const requests: { headers: IncomingMessage["headers"]; body: string }[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    open++;
    response.on("close", () => open--);
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      requests.push({ headers: request.headers, body: Buffer.concat(pieces).toString("utf8") });
      answer(response, { number: requests.length });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  const isQuiet = async (): Promise<boolean> => {
    for (let i = 0; i < 100; i++) {
      if (open === 0) return true;
      await pause(10);
    }
    return false;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    open: () => open,
    isQuiet,
    async close() {
      const wasQuiet = await isQuiet();
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      if (!wasQuiet) throw new Error("A connection was left open.");
    },
  };
}

/** The pieces of an answer of the chat format. */
export const chatPiece = (content: string): string =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta: { role: "assistant", content } }] })}\n\n`;

export const chatEnd = `data: ${JSON.stringify({ id: "c1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;
