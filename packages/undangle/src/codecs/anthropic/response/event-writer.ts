import { isRecord } from "#core";
import type { AssembledCall, AssembledTurn, JsonObject } from "#core";

import { argumentsText } from "../../stream/response-writer.ts";
import type { Frame, TextDelta } from "../../stream/response-writer.ts";
import type { ClientState } from "./strict-client.ts";

/** Writes the next events of a stream, consistent with those that the client has received. */
export interface EventWriter {
  readonly frames: readonly Frame[];
  /** Starts the message, unless it has started. */
  readonly start: (message?: unknown) => void;
  /** Ends the open block, and starts one that is not a call. */
  readonly open: (block: JsonObject) => void;
  /** Writes a delta of the open block. */
  readonly more: (delta: JsonObject) => void;
  readonly say: (texts: Pick<TextDelta, "type" | "text">) => void;
  /** Ends the open block. */
  readonly close: () => void;
  /** A complete call. Other keys of its block are kept. */
  readonly call: (call: AssembledCall, block: JsonObject | undefined) => void;
  /** Ends the message once, with the given reason. */
  readonly end: (texts: JsonObject & { readonly delta: JsonObject; readonly usage: JsonObject }) => void;
}

export function createEventWriter(client: ClientState): EventWriter {
  const frames: Frame[] = [];
  let { isStarted, blocks, open: type } = client;
  const send = (event: string, rest: JsonObject): void => void frames.push({ event, value: { type: event, ...rest } });

  const start = (message?: unknown): void => {
    if (!isStarted) send("message_start", { message: messageOf(isRecord(message) ? message : {}) });
    isStarted = true;
  };
  const close = (): void => {
    if (type !== undefined) send("content_block_stop", { index: blocks - 1 });
    type = undefined;
  };
  const open = (block: JsonObject): void => {
    start();
    close();
    send("content_block_start", { index: blocks++, content_block: block });
    type = String(block["type"]);
  };
  const more = (delta: JsonObject): void => send("content_block_delta", { index: blocks - 1, delta });

  return {
    frames,
    start,
    open,
    close,
    more(delta) {
      if (type === undefined || type === "tool_use") return;
      if (delta["type"] !== "input_json_delta" || type.endsWith("tool_use")) more(delta); // of a server tool
    },
    say({ type: kind, text }) {
      const block = kind === "text" ? "text" : "thinking";
      if (type !== block) open({ type: block, [block]: "", ...(block === "thinking" && { signature: "" }) });
      more({ type: `${block}_delta`, [block]: text });
    },
    call(call, block) {
      open({ ...call.extras, ...block, type: "tool_use", id: call.id, name: call.name, input: {} });
      more({ type: "input_json_delta", partial_json: argumentsText(call) });
      close();
    },
    end({ delta, usage, ...rest }) {
      start();
      close();
      if (client.stop !== delta["stop_reason"])
        send("message_delta", {
          ...rest,
          delta: { stop_sequence: null, ...delta },
          usage: { ...usage, output_tokens: countOf(usage["output_tokens"]) },
        });
      if (!client.isEnded) send("message_stop", {});
    },
  };
}

/** The message with all fields that clients read. */
function messageOf(given: JsonObject): JsonObject {
  const { id, usage } = given;
  const known: JsonObject = isRecord(usage) ? usage : {};
  return {
    model: "",
    stop_reason: null,
    stop_sequence: null,
    ...given,
    id: typeof id === "string" && id !== "" ? id : "msg_0",
    type: "message",
    role: "assistant",
    content: [],
    usage: { ...known, input_tokens: countOf(known["input_tokens"]), output_tokens: countOf(known["output_tokens"]) },
  };
}

const countOf = (value: unknown): number => (typeof value === "number" ? value : 0);

/** An event that the client has not received. */
export interface UnsentEvent {
  readonly type: string | undefined;
  readonly value: JsonObject;
}

/**
 * Writes the unsent part of a turn block by block, with the assembled calls, so that other block content is kept. False
 * if the events do not match the turn, and the turn must be written differently.
 */
export function replay(
  writer: EventWriter,
  turn: AssembledTurn,
  events: readonly UnsentEvent[],
  client: ClientState,
): boolean {
  const left = [...turn.calls];
  const sent = { text: "", thinking: "" };
  const calls = new Set<unknown>(); // their indexes
  let current: unknown; // the index of the open block
  let silent: JsonObject | undefined; // a text block without text so far

  const say = (kind: "text" | "thinking", text: unknown): void => {
    if (typeof text !== "string" || text === "") return;
    begin();
    sent[kind] += text;
    writer.more({ type: `${kind}_delta`, [kind]: text });
  };
  const begin = (): void => {
    if (silent !== undefined) writer.open(silent);
    silent = undefined;
  };
  const start = (index: unknown, block: JsonObject): boolean => {
    const { type, name } = block;
    writer.close();
    current = index;
    silent = undefined;
    calls.delete(index);
    if (type === "tool_use" || (typeof type !== "string" && typeof name === "string")) {
      calls.add(index);
      return turn.calls.length === 0 || takeCall(writer, block, left.shift());
    }
    if (typeof type !== "string") return false;
    if (type === "text" || type === "thinking") {
      silent = { ...block, [type]: "" };
      if (type === "thinking") begin();
      say(type, block[type]);
    } else writer.open(block);
    return true;
  };
  const goOn = (index: unknown, delta: JsonObject): boolean => {
    const { type, text, thinking } = delta;
    if (calls.has(index) || (index !== current && type === "input_json_delta")) return true; // of a call
    if (index !== current || index === undefined || typeof type !== "string") return false;
    if (type === "text_delta") say("text", String(text));
    else if (type === "thinking_delta") say("thinking", String(thinking));
    else {
      begin();
      writer.more(delta);
    }
    return true;
  };
  const take = ({ type, value: { index, content_block: block, delta } }: UnsentEvent): boolean => {
    if (type === "content_block_start") return isRecord(block) && start(index, block);
    if (type === "content_block_delta") return isRecord(delta) && goOn(index, delta);
    if (type === "content_block_stop" && index === current) {
      writer.close();
      current = undefined;
    }
    return true;
  };

  return (
    events.every(take) &&
    left.length === 0 &&
    sent.text === textIn(turn, "text").slice(client.text) &&
    sent.thinking === textIn(turn, "reasoning").slice(client.reasoning)
  );
}

function takeCall(writer: EventWriter, block: JsonObject, call: AssembledCall | undefined): boolean {
  const { id } = block;
  if (call === undefined || (!call.idGenerated && id !== call.id)) return false;
  writer.call(call, block);
  return true;
}

const textIn = ({ parts }: AssembledTurn, type: "text" | "reasoning"): string =>
  parts.map((part) => (part.type === type ? part.text : "")).join("");
