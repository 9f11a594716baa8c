import type { CallingClient } from "./mcp-client.ts";

/** A client and its connection state. */
export interface Link {
  readonly client: CallingClient;
  /** True if it reported its end, and nothing arrived since. */
  isClosed: boolean;
  /** The number of closings: its owner may reconnect it. */
  closings: number;
}

/** Listens to a client without replacing other listeners. */
export function linkTo(client: CallingClient & Ears, onListChange: (link: Link) => void): Link {
  const link: Link = { client, isClosed: false, closings: 0 };
  if (typeof client.setNotificationHandler !== "function") return link; // the client has no notifications
  const { onclose, fallbackNotificationHandler: fallback } = client;
  Object.assign(client, {
    onclose: () => {
      link.isClosed = true;
      link.closings++;
      onclose?.call(client);
    },
    // The handler of a method belongs to the owner and needs a schema of the SDK; the fallback gets unhandled notifications.
    fallbackNotificationHandler: async (notification) => {
      if (notification.method === "notifications/tools/list_changed") onListChange(link);
      await fallback?.call(client, notification);
    },
  } satisfies Ears);
  return link;
}

/** The handlers that the client of the SDK accepts. */
interface Ears {
  readonly setNotificationHandler?: unknown;
  readonly onclose?: ((this: unknown) => void) | undefined;
  readonly fallbackNotificationHandler?:
    | ((this: unknown, notification: { readonly method: string }) => Promise<void>)
    | undefined;
}

/** Closes a client that can be closed. */
export async function closeClient(client: CallingClient & { close?(): Promise<void> }): Promise<void> {
  await client.close?.();
}
