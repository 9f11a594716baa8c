import type { FastifyReply } from "fastify";

/** The response to a chat: its request, the print of what was sent, and the thread. */
export interface Delivery {
  readonly request: string;
  readonly print: string;
  readonly thread: string;
}

/** Which responses have not reached their clients, as far as this process knows. */
export interface Deliveries {
  /** Notes a response whose client leaves before it has all of it. */
  readonly follow: (reply: FastifyReply, delivery: Delivery) => void;
  /** Notes a response of a process that has died. */
  readonly noteLost: (delivery: Delivery) => void;
  readonly isLost: (request: string) => boolean;
  /** A thread in which what has this print was answered to a client that had left. */
  readonly lostThread: (print: string) => string | undefined;
}

const mostRemembered = 10_000;

export function createDeliveries(): Deliveries {
  const lost = new Map<string, Delivery>(); // by request
  const threads = new Map<string, string>(); // of those, by print
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
      forget(delivery.request); // whoever asks again gets it now
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
