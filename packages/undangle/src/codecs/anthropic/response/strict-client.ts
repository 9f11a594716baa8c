import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { hasId, isId } from "../../stream/response-writer.ts";
import type { CallPlaces, Frame } from "../../stream/response-writer.ts";

/** The state of a client that trusts Anthropic after the events so far. */
export interface Heard {
  readonly isStarted: boolean;
  /** The number of blocks that have started. */
  readonly blocks: number;
  /** The type of the open block. */
  readonly open: string | undefined;
  /** The calls that have ended. */
  readonly calls: readonly HeardCall[];
  readonly places: CallPlaces;
  /** The open call. */
  readonly call: HeardCall | undefined;
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

interface HeardCall {
  readonly id: string;
  readonly name: string;
  /** The arguments so far. Undefined before the first delta. */
  readonly arguments: string | undefined;
}

export const nothingHeard = (): Heard => ({
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
export function hear(heard: Heard, { value, event }: Frame): Heard | undefined {
  const { type } = value;
  if (typeof type !== "string" || event !== type) return undefined;
  const hearEvent = events.get(type);
  if (hearEvent === undefined) return heard; // a ping, or an event type that is newer than the client
  if (heard.isEnded || heard.isStarted === (type === "message_start")) return undefined;
  return hearEvent(heard, value);
}

const events: ReadonlyMap<string, (heard: Heard, value: JsonObject) => Heard | undefined> = new Map([
  ["message_start", hearMessage],
  ["content_block_start", hearBlock],
  ["content_block_delta", hearDelta],
  ["content_block_stop", hearBlockEnd],
  ["message_delta", hearStop],
  ["message_stop", hearEnd],
]);

function hearMessage(heard: Heard, { message }: JsonObject): Heard | undefined {
  if (!isRecord(message) || message["role"] !== "assistant" || message["type"] !== "message") return undefined;
  const { id, content, usage } = message;
  const isEmpty = Array.isArray(content) && content.length === 0;
  if (typeof id !== "string" || !isEmpty || !isRecord(usage) || !isCount(usage["input_tokens"])) return undefined;
  return { ...heard, isStarted: true };
}

function hearBlock(heard: Heard, { index, content_block: block }: JsonObject): Heard | undefined {
  const isNext = heard.open === undefined && heard.stop === undefined && index === heard.blocks;
  if (!isNext || !isRecord(block) || typeof block["type"] !== "string") return undefined;
  const { type, id, name, input } = block;
  const begun = { ...heard, blocks: heard.blocks + 1, open: type, isBare: false };
  if (type === "text" || type === "thinking") return block[type] === "" ? begun : undefined;
  if (type !== "tool_use") return begun;
  if (!isId(id) || typeof name !== "string" || hasId(heard.calls, heard.places, id)) return undefined;
  // Some clients ignore this value, others treat it as the start of the arguments.
  if (!isRecord(input) || Object.keys(input).length > 0) return undefined;
  const isNamed = heard.isNamed && name.trim() !== "";
  return { ...begun, call: { id, name, arguments: undefined }, isNamed };
}

function hearDelta(heard: Heard, { index, delta }: JsonObject): Heard | undefined {
  const { open } = heard;
  if (open === undefined || index !== heard.blocks - 1 || !isRecord(delta)) return undefined;
  const { type, text, thinking, partial_json: json } = delta;
  switch (type) {
    case "text_delta":
      if (!known.has(open)) return heard; // an unknown block type: its text does not belong to the turn
      return open === "text" && typeof text === "string" ? hearMore(heard, text) : undefined;
    case "thinking_delta":
      return open === "thinking" && typeof thinking === "string" ? hearMore(heard, thinking) : undefined;
    case "input_json_delta":
      return typeof json === "string" && open.endsWith("tool_use") ? hearMore(heard, json) : undefined;
    default:
      return typeof type === "string" && open !== "tool_use" ? heard : undefined;
  }
}

const known: ReadonlySet<string> = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);

/** Adds a delta to the open block. */
function hearMore(heard: Heard, text: string): Heard {
  const { open, call } = heard;
  if (open === "text") return { ...heard, text: heard.text + text.length };
  if (open === "thinking") return { ...heard, reasoning: heard.reasoning + text.length };
  return call === undefined ? heard : { ...heard, call: { ...call, arguments: (call.arguments ?? "") + text } };
}

function hearBlockEnd(heard: Heard, { index }: JsonObject): Heard | undefined {
  if (heard.open === undefined || index !== heard.blocks - 1) return undefined;
  const { calls, places, call } = heard;
  if (call === undefined) return { ...heard, open: undefined };
  const isFilled = heard.isFilled && Boolean(call.arguments);
  places.set(call.id, calls.length);
  return {
    ...heard,
    open: undefined,
    call: undefined,
    calls: [...calls, call],
    isFilled,
    isBare: call.arguments === "",
  };
}

function hearStop(heard: Heard, { delta, usage }: JsonObject): Heard | undefined {
  if (heard.open !== undefined || !isRecord(delta) || !isRecord(usage)) return undefined;
  const { stop_reason: reason } = delta;
  if (!isCount(usage["output_tokens"])) return undefined;
  if (reason === null || (heard.stop !== undefined && reason === heard.stop)) return heard; // updated token counts
  if (heard.stop !== undefined || typeof reason !== "string" || !isStopFor(reason, heard.calls.length))
    return undefined;
  return { ...heard, stop: reason };
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

function hearEnd(heard: Heard): Heard | undefined {
  return heard.open === undefined && heard.stop !== undefined ? { ...heard, isEnded: true } : undefined;
}

const isCount = (value: unknown): boolean => typeof value === "number";
