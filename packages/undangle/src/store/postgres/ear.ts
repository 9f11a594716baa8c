import { channel } from "./notices.ts";
import { connect } from "./postgres-pool.ts";
import type { PostgresPool } from "./postgres-pool.ts";

/** A connection that hears what processes tell each other. */
export interface Ear {
  /** Gives the connection back. */
  readonly close: () => void;
}

export interface EarOptions {
  readonly onNotice: (text: string) => void;
  /** The connection is lost. */
  readonly onLost: () => void;
}

/** True for a pool that can spare a connection: a smaller one needs all of them for its work. */
export function canSpareOne({ options = {} }: PostgresPool): boolean {
  const max: unknown = Reflect.get(options, "max");
  return typeof max === "number" && max >= 3;
}

/** Borrows a connection, and listens on it. */
export async function openEar(pool: PostgresPool, { onNotice, onLost }: EarOptions): Promise<Ear> {
  const client = await connect(pool);
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    client.ref?.();
    client.release(true); // nobody is lent one that listens
  };
  const lose = (): void => {
    if (isOpen) onLost();
    close();
  };
  client.on("error", lose);
  client.on("end", lose);
  client.on("notification", ({ channel: where, payload = "" }) => {
    if (isOpen && where === channel) onNotice(payload);
  });
  try {
    await client.query({ text: `LISTEN ${channel}` });
    client.unref?.(); // the process goes on for those who wait for events, and not for this
    return { close };
  } catch (error) {
    close();
    throw error;
  }
}
