import { isRecord } from "#core";
import type { AssembledCall, AssembledTurn, JsonObject } from "#core";

import type { EventWriter } from "./event-writer.ts";
import type { ClientState } from "./strict-client.ts";

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
