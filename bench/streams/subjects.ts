import type { Delivery, Script, WireFormat } from "./wire.ts";

/** A family of streams that are measured at several sizes. */
export interface Subject {
  readonly name: string;
  readonly format: WireFormat;
  readonly delivery: Delivery;
  readonly sizes: readonly Size[];
}

export interface Size {
  readonly name: string;
  readonly script: Script;
}

const events: readonly Size[] = [
  { name: "100,000 of text", script: { textDeltas: 100_000, calls: 0, argumentBytes: 0 } },
  { name: "100,000 of 100 calls", script: { textDeltas: 0, calls: 100, argumentBytes: 20_000 } },
];

const oneCall = (bytes: number): Script => ({ textDeltas: 0, calls: 1, argumentBytes: bytes });

/** The names of the two sizes between which growth is looked at. */
export const grown = { from: "1 MB", to: "10 MB" };

const bytes: readonly Size[] = [
  { name: "100 kB", script: oneCall(100_000) },
  { name: grown.from, script: oneCall(1_000_000) },
  { name: grown.to, script: oneCall(10_000_000) },
];

/** Everything that is measured. */
export const subjects: readonly Subject[] = [
  { name: "openai-chat, events", format: "openai-chat", delivery: "reads of 16 kB", sizes: events },
  { name: "openai-chat, events one by one", format: "openai-chat", delivery: "an event at a time", sizes: events },
  { name: "openai-chat, arguments of one call", format: "openai-chat", delivery: "reads of 16 kB", sizes: bytes },
  { name: "anthropic, events", format: "anthropic", delivery: "reads of 16 kB", sizes: events },
  { name: "anthropic, arguments of one call", format: "anthropic", delivery: "reads of 16 kB", sizes: bytes },
];
