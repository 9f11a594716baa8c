import { createHmac } from "node:crypto";

import type { Logger } from "undangle/agent";

import { projectOf, publicId } from "./thread-key.ts";
import type { Commit } from "./store/watched-store.ts";

/** The receiver of notifications about threads that wait for a decision. */
export interface WebhookOptions {
  readonly url: string;
  /** Signs the body: `x-undangle-signature: sha256=…`. */
  readonly secret?: string | undefined;
}

export interface Webhook {
  /** Notifies the webhook if the commit makes a thread wait. */
  saved(commit: Commit): void;
  /** Waits for pending notifications. */
  close(): Promise<void>;
}

const pauses = [0, 1000, 5000, 30_000];
const patience = 10_000;

/**
 * Sends a notification when a thread starts to wait, up to four times. A failure is logged, and `GET /queue` still
 * lists the thread.
 */
export function createWebhook({ url, secret }: WebhookOptions, logger: Logger, fetcher = fetch): Webhook {
  const sending = new Set<Promise<void>>();
  const closing = new AbortController();

  const send = async (body: string, threadId: string): Promise<void> => {
    const headers = {
      "content-type": "application/json",
      ...(secret !== undefined && {
        "x-undangle-signature": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
      }),
    };
    let fault: unknown;
    for (const pause of pauses) {
      await wait(pause, closing.signal);
      if (closing.signal.aborted) break;
      try {
        const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(patience)]);
        const response = await fetcher(url, { method: "POST", headers, body, signal, redirect: "error" });
        await response.body?.cancel();
        if (response.ok) return;
        fault = new Error(`It responded with ${response.status}.`);
      } catch (error) {
        fault = error;
      }
    }
    logger.warn({ threadId, err: fault }, "The webhook failed; a waiting thread was not reported");
  };

  return {
    saved({ thread, head, events, at }) {
      const pending = events.filter(({ type }) => type === "approval_required").map(({ data }) => data);
      if (head.parent !== undefined) return; // its parent waits with it
      if (head.status !== "waiting" || pending.length === 0) return;
      const project = projectOf(thread);
      const id = publicId(project, thread);
      const { title = null } = head;
      const body = JSON.stringify({ type: "thread.waiting", project, thread_id: id, title, pending, at });
      const sent = send(body, id).finally(() => sending.delete(sent));
      sending.add(sent);
    },
    async close() {
      closing.abort();
      await Promise.all(sending);
    },
  };
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
