import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { hasId, isId } from "../../stream/response-writer.ts";
import type { CallPlaces, Frame } from "../../stream/response-writer.ts";

/** The state of a client that trusts Anthropic after the events so far. */
export interface ClientState {
  readonly isStarted: boolean;
  /** The number of blocks that have started. */
  readonly blocks: number;
  /** The type of the open block. */
  readonly open: string | undefined;
  /** The calls that have ended. */
  readonly calls: readonly ClientCall[];
  readonly places: CallPlaces;
  /** The open call. */
  readonly call: ClientCall | undefined;
  /** True if all calls have a name. Cached, because a turn may have hundreds of calls. */
  readonly isNamed: boolean;
  /** True if arguments arrived for every ended call. */
  readonly isFilled: boolean;
  /** True if the last block was a call with only an empty delta, so its arguments may be missing. */
  readonly isBare: boolean;
  /** The number of text characters. */
  readonly text: number;
  readonly reasoning: number;
  /** The finish reason. */
  readonly stop: string | undefined;
  readonly isEnded: boolean;
}

interface ClientCall {
  readonly id: string;
  readonly name: string;
  /** The arguments so far. Undefined before the first delta. */
  readonly arguments: string | undefined;
}

export const initialClient = (): ClientState => ({
  isStarted: false,
  blocks: 0,
  open: undefined,
  calls: [],
  places: new Map(),
  call: undefined,
  isNamed: true,
  isFilled: true,
  isBare: false,
  text: 0,
  reasoning: 0,
  stop: undefined,
  isEnded: false,
});

/** The state after one more event. Undefined if the client would fail or ignore content. */
export function clientAfter(client: ClientState, { value, event }: Frame): ClientState | undefined {
  const { type } = value;
  if (typeof type !== "string" || event !== type) return undefined;
  const readEvent = events.get(type);
  if (readEvent === undefined) return client; // a ping, or an event type that is newer than the client
  if (client.isEnded || client.isStarted === (type === "message_start")) return undefined;
  return readEvent(client, value);
}

const events: ReadonlyMap<string, (client: ClientState, value: JsonObject) => ClientState | undefined> = new Map([
  ["message_start", readMessage],
  ["content_block_start", readBlock],
  ["content_block_delta", readDelta],
  ["content_block_stop", readBlockEnd],
  ["message_delta", readStop],
  ["message_stop", readEnd],
]);

function readMessage(client: ClientState, { message }: JsonObject): ClientState | undefined {
  if (!isRecord(message) || message["role"] !== "assistant" || message["type"] !== "message") return undefined;
  const { id, content, usage } = message;
  const isEmpty = Array.isArray(content) && content.length === 0;
  if (typeof id !== "string" || !isEmpty || !isRecord(usage) || !isCount(usage["input_tokens"])) return undefined;
  return { ...client, isStarted: true };
}

function readBlock(client: ClientState, { index, content_block: block }: JsonObject): ClientState | undefined {
  const isNext = client.open === undefined && client.stop === undefined && index === client.blocks;
  if (!isNext || !isRecord(block) || typeof block["type"] !== "string") return undefined;
  const { type, id, name, input } = block;
  const begun = { ...client, blocks: client.blocks + 1, open: type, isBare: false };
  if (type === "text" || type === "thinking") return block[type] === "" ? begun : undefined;
  if (type !== "tool_use") return begun;
  if (!isId(id) || typeof name !== "string" || hasId(client.calls, client.places, id)) return undefined;
  // Some clients ignore this value, others treat it as the start of the arguments.
  if (!isRecord(input) || Object.keys(input).length > 0) return undefined;
  const isNamed = client.isNamed && name.trim() !== "";
  return { ...begun, call: { id, name, arguments: undefined }, isNamed };
}

function readDelta(client: ClientState, { index, delta }: JsonObject): ClientState | undefined {
  const { open } = client;
  if (open === undefined || index !== client.blocks - 1 || !isRecord(delta)) return undefined;
  const { type, text, thinking, partial_json: json } = delta;
  switch (type) {
    case "text_delta":
      if (!known.has(open)) return client; // an unknown block type: its text does not belong to the turn
      return open === "text" && typeof text === "string" ? readMore(client, text) : undefined;
    case "thinking_delta":
      return open === "thinking" && typeof thinking === "string" ? readMore(client, thinking) : undefined;
    case "input_json_delta":
      return typeof json === "string" && open.endsWith("tool_use") ? readMore(client, json) : undefined;
    default:
      return typeof type === "string" && open !== "tool_use" ? client : undefined;
  }
}

const known: ReadonlySet<string> = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);

/** Adds a delta to the open block. */
function readMore(client: ClientState, text: string): ClientState {
  const { open, call } = client;
  if (open === "text") return { ...client, text: client.text + text.length };
  if (open === "thinking") return { ...client, reasoning: client.reasoning + text.length };
  return call === undefined ? client : { ...client, call: { ...call, arguments: (call.arguments ?? "") + text } };
}

function readBlockEnd(client: ClientState, { index }: JsonObject): ClientState | undefined {
  if (client.open === undefined || index !== client.blocks - 1) return undefined;
  const { calls, places, call } = client;
  if (call === undefined) return { ...client, open: undefined };
  const isFilled = client.isFilled && Boolean(call.arguments);
  places.set(call.id, calls.length);
  return {
    ...client,
    open: undefined,
    call: undefined,
    calls: [...calls, call],
    isFilled,
    isBare: call.arguments === "",
  };
}

function readStop(client: ClientState, { delta, usage }: JsonObject): ClientState | undefined {
  if (client.open !== undefined || !isRecord(delta) || !isRecord(usage)) return undefined;
  const { stop_reason: reason } = delta;
  if (!isCount(usage["output_tokens"])) return undefined;
  if (reason === null || (client.stop !== undefined && reason === client.stop)) return client; // updated token counts
  if (client.stop !== undefined || typeof reason !== "string" || !isStopFor(reason, client.calls.length))
    return undefined;
  return { ...client, stop: reason };
}

/** True for a finish reason that Anthropic sends for a turn with this number of calls. */
export const isStopFor = (reason: string, calls: number): boolean =>
  calls > 0 ? reason === "tool_use" : reason.trim() !== "" && !foreignStops.has(reason);

/** Finish reasons of other formats. */
const foreignStops: ReadonlySet<string> = new Set([
  "stop",
  "length",
  "tool_calls",
  "content_filter",
  "guardrail_intervened",
  "content_filtered",
]);

function readEnd(client: ClientState): ClientState | undefined {
  return client.open === undefined && client.stop !== undefined ? { ...client, isEnded: true } : undefined;
}

const isCount = (value: unknown): boolean => typeof value === "number";
