import { Buffer } from "node:buffer";

/** An output that joins small writes. */
export interface Sink {
  write(data: string | Uint8Array): Promise<void>;
  flush(): Promise<void>;
}

/** Creates a sink on an output. At a terminal every write appears at once. */
export function createSink(
  output: { readonly isTTY: boolean; readonly write: (data: Uint8Array) => Promise<void> },
  portion = 65_536,
): Sink {
  let held: Uint8Array[] = [];
  let length = 0;
  const flush = async (): Promise<void> => {
    if (length === 0) return;
    const data = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held, length);
    [held, length] = [[], 0];
    await output.write(data);
  };
  return {
    flush,
    async write(data) {
      const bytes = typeof data === "string" ? Buffer.from(data) : data;
      held.push(bytes);
      length += bytes.length;
      if (length >= portion || output.isTTY) await flush();
    },
  };
}
