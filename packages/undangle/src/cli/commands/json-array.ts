import type { Sink } from "../terminal/sink.ts";

/** Writes a JSON array item by item, so that it can have any length. */
export interface JsonArray {
  push(item: unknown): Promise<void>;
  end(): Promise<void>;
}

export function openArray(out: Sink): JsonArray {
  let empty = true;
  return {
    async push(item) {
      await out.write(`${empty ? "[\n  " : ",\n  "}${JSON.stringify(item)}`);
      empty = false;
    },
    end: () => out.write(empty ? "[]\n" : "\n]\n"),
  };
}
