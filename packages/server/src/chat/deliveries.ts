import type { FastifyReply } from "fastify";

/** The response to a chat: its request, the fingerprint of its messages, and the thread. */
export interface Delivery {
  readonly request: string;
  readonly print: string;
  readonly thread: string;
}

/** Responses that did not reach their clients, as far as this process knows. */
export interface Deliveries {
  /** Records a response whose client leaves before its end. */
  readonly follow: (reply: FastifyReply, delivery: Delivery) => void;
  /** Records a response of a process that died. */
  readonly noteLost: (delivery: Delivery) => void;
  readonly isLost: (request: string) => boolean;
  /** The thread of a response with this fingerprint that did not reach its client. */
  readonly lostThread: (print: string) => string | undefined;
}

const mostRemembered = 10_000;

export function createDeliveries(): Deliveries {
  const lost = new Map<string, Delivery>();
  const threads = new Map<string, string>(); // by fingerprint
  const forget = (request: string): void => {
    const { print, thread } = lost.get(request) ?? {};
    lost.delete(request);
    if (print !== undefined && threads.get(print) === thread) threads.delete(print);
  };
  const noteLost = (delivery: Delivery): void => {
    lost.set(delivery.request, delivery);
    threads.set(delivery.print, delivery.thread);
    const [oldest] = lost.keys();
    if (lost.size > mostRemembered && oldest !== undefined) forget(oldest);
  };
  return {
    follow({ raw }, delivery) {
      forget(delivery.request); // the retry gets the response now
      if (raw.destroyed) return noteLost(delivery);
      let isSent = false;
      raw.once("finish", () => {
        isSent = true;
      });
      raw.once("close", () => {
        if (!isSent) noteLost(delivery);
      });
      return undefined;
    },
    noteLost,
    isLost: (request) => lost.has(request),
    lostThread: (print) => threads.get(print),
  };
}
