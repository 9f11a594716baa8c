import { faultsOf } from "./fault.ts";
import type { WireFormat } from "./fault.ts";

const events: readonly WireFormat[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];
const texts: readonly WireFormat[] = [...events, "ollama"];

/** Faults of the transport. */
export const transport = faultsOf({
  crlf: {
    seen: "many servers: CR LF at the end of lines",
    formats: texts,
    outcome: "same",
    apply({ transport: how }) {
      how.newline = "\r\n";
    },
  },
  cr: {
    seen: "the SSE standard: CR alone at the end of lines",
    formats: events,
    outcome: "same",
    apply({ transport: how }) {
      how.newline = "\r";
    },
  },
  "no-space": {
    seen: "Spring: no space after data:",
    formats: events,
    outcome: "same",
    apply({ transport: how }) {
      how.prefix = how.prefix.replace(/ $/u, "");
    },
  },
  comments: {
    seen: "OpenRouter: comments between the events",
    formats: events,
    outcome: "same",
    apply({ transport: how }) {
      how.between += `: OPENROUTER PROCESSING${how.newline}${how.newline}:${how.newline}`;
    },
  },
  "keep-alives": {
    seen: "gateways: empty data and blank lines as keep-alives",
    formats: events,
    outcome: "same",
    apply({ transport: how }) {
      how.between += `data:${how.newline}${how.newline}${how.newline}`;
    },
  },
  fields: {
    seen: "gateways: id, retry and unknown fields around the data",
    formats: events,
    outcome: "same",
    apply({ transport: how }) {
      how.prefix = `id: 7${how.newline}retry: 3000${how.newline}x-trace: a${how.newline}${how.prefix}`;
    },
  },
  bom: {
    seen: "proxies: a byte order mark at the beginning",
    formats: texts,
    outcome: "same",
    apply({ transport: how }) {
      how.before = "\uFEFF";
    },
  },
  "small-pieces": {
    seen: "every network: chunks that end anywhere, even inside a character",
    formats: [...texts, "bedrock"],
    outcome: "same",
    apply({ transport: how }) {
      how.pieceSize = 7;
    },
  },
  "one-piece": {
    seen: "buffering proxies: the whole stream in one chunk",
    formats: [...texts, "bedrock"],
    outcome: "same",
    apply({ transport: how }) {
      how.pieceSize = 1_000_000_000;
    },
  },
});
