import { channel } from "./event-channel.ts";
import { connect } from "./postgres-pool.ts";
import type { PostgresPool } from "./postgres-pool.ts";

/** A connection that listens for notifications. */
export interface ListenConnection {
  /** Returns the connection. */
  readonly close: () => void;
}

export interface ListenOptions {
  readonly onNotification: (text: string) => void;
  readonly onLost: () => void;
}

/** True if the pool has enough connections to reserve one. */
export function canReserveConnection({ options = {} }: PostgresPool): boolean {
  const max: unknown = Reflect.get(options, "max");
  return typeof max === "number" && max >= 3;
}

/** Reserves a connection and listens on it. */
export async function openListenConnection(
  pool: PostgresPool,
  { onNotification, onLost }: ListenOptions,
): Promise<ListenConnection> {
  const client = await connect(pool);
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    client.ref?.();
    client.release(true); // a listening connection is never reused
  };
  const lose = (): void => {
    if (isOpen) onLost();
    close();
  };
  client.on("error", lose);
  client.on("end", lose);
  client.on("notification", ({ channel: where, payload = "" }) => {
    if (isOpen && where === channel) onNotification(payload);
  });
  try {
    await client.query({ text: `LISTEN ${channel}` });
    client.unref?.(); // must not keep the process alive
    return { close };
  } catch (error) {
    close();
    throw error;
  }
}
