import { isRecord, isWhole, jsonText, textOf } from "#core";
import type { Assembly, Finish, JsonObject, TextItem, Slot } from "#core";

import { base64Of } from "../../convert/media.ts";
import { isEmptyObject, reasonIn } from "../../stream/decoder.ts";
import { loseEntry, loseUnreadable } from "../../stream/events/unreadable-event.ts";
import type { StreamDecoder } from "../../stream/decoder.ts";

/** Decodes Bedrock's ConverseStream from the events of its SDK: one key each, with blocks by `contentBlockIndex`. */
export function decodeBedrock(assembly: Assembly): StreamDecoder {
  const choice = assembly.choice(0);
  const slots = new Map<unknown, Slot | "server">();
  const thoughts = new Map<unknown, TextItem>();

  /** The call of a block. Undefined for tools that the provider runs. */
  const slotAt = (index: unknown): Slot | undefined => {
    const known = slots.get(index);
    if (known !== undefined) return known === "server" ? undefined : known;
    return open(index);
  };

  const open = (index: unknown): Slot => {
    const slot = assembly.open(choice, typeof index === "number" ? index : undefined);
    slots.set(index, slot);
    return slot;
  };

  const start = ({ contentBlockIndex: index, start: begun }: JsonObject): void => {
    const used = isRecord(begun) ? begun["toolUse"] : undefined;
    loseUnreadable(used, assembly);
    if (!isRecord(used)) return;
    if (used["type"] === "server_tool_use") {
      assembly.note("server-tool", choice);
      slots.set(index, "server");
      return;
    }
    const known = slots.get(index);
    const isCall = known !== undefined && known !== "server";
    const isAgain = isCall && isSame(known, used);
    const isGoingOn = isCall && (known.name === "" || (isAgain && !isWhole(known))); // its input may have arrived first
    const slot = isGoingOn ? known : open(index);
    if (isAgain && !isGoingOn) slot.repeats = known;
    assembly.identify(slot, used["toolUseId"]);
    assembly.name(slot, used["name"]);
  };

  const more = ({ contentBlockIndex: index, delta }: JsonObject): void => {
    if (!isRecord(delta)) {
      assembly.doubt();
      return;
    }
    say(index, delta);
    const { toolUse: used } = delta;
    loseUnreadable(used, assembly);
    const input = isRecord(used) ? used["input"] : undefined;
    const call = slots.get(index);
    // Arguments arrive as text. No server is known to send parsed arguments in deltas.
    if (typeof input !== "string" && call !== undefined && call !== "server") call.isDoubtful = true;
    if (!isEmptyObject(input)) give(index, input);
  };

  const say = (index: unknown, { text, reasoningContent: reasoning }: JsonObject): void => {
    if (typeof text === "string") assembly.text(choice, text);
    if (isRecord(reasoning)) think(index, reasoning);
  };

  const give = (index: unknown, input: unknown): void => {
    const slot = input === undefined || input === null || input === "" ? undefined : slotAt(index);
    if (slot !== undefined) assembly.append(slot, typeof input === "string" ? input : jsonText(input));
  };

  const over = ({ contentBlockIndex: index }: JsonObject): void => {
    const slot = slots.get(index);
    if (slot !== undefined && slot !== "server") slot.isOver = true;
  };

  /** Reasoning is signed per block, so each block is a separate part. Only Claude signs it. */
  const think = (index: unknown, { text, signature, redactedContent }: JsonObject): void => {
    const thought = thoughts.get(index) ?? assembly.begin(choice, "reasoning");
    thoughts.set(index, thought);
    if (typeof text === "string") assembly.reasoning(choice, text);
    const hidden = base64Of(redactedContent);
    const value = hidden ?? signature;
    if (typeof value !== "string" || value === "") return;
    thought.seal = { owner: "anthropic", value };
    thought.isRedacted = hidden !== undefined;
    thought.isClosed = true;
  };

  const stop = ({ stopReason }: JsonObject): void => {
    const reason = reasonIn(stopReason);
    assembly.close("turn");
    if (reason === undefined) return;
    const finish = finishes.get(reason);
    if (finish === undefined) assembly.note("finish-unknown", choice);
    assembly.finish(choice, finish ?? "stop");
    if (finish === "error")
      assembly.fail({ message: `Bedrock ended the turn with ${reason}.`, from: "provider", code: reason });
  };

  return {
    frame(event) {
      const { contentBlockStart, contentBlockDelta, contentBlockStop, messageStop, metadata } = event;
      loseUnreadable(contentBlockStart, assembly);
      if (!Object.keys(event).some((key) => isRecord(event[key]))) assembly.doubt();
      if (isRecord(contentBlockStart)) start(contentBlockStart);
      if (isRecord(contentBlockDelta)) more(contentBlockDelta);
      if (isRecord(contentBlockStop)) over(contentBlockStop);
      if (isRecord(messageStop)) stop(messageStop);
      if (isRecord(metadata) && isRecord(metadata["usage"])) assembly.usage = metadata["usage"];
      const failed = Object.keys(event).find((key) => key.endsWith("Exception"));
      if (failed !== undefined) {
        const given = event[failed];
        const message = isRecord(given) ? textOf(given["message"] ?? given["originalMessage"]) : undefined;
        assembly.fail({ message: message ?? failed, from: "provider", code: failed });
      }
      if (isRecord(event["output"])) whole(event, event["output"]);
    },
  };

  /** Reads a Converse response that is not streamed. */
  function whole(body: JsonObject, { message }: JsonObject): void {
    assembly.note("whole-body", choice);
    const content =
      isRecord(message) && Array.isArray(message["content"]) ? (message["content"] as readonly unknown[]) : [];
    content.forEach((block, index) => {
      loseEntry(block, assembly);
      if (!isRecord(block)) return;
      const { toolUse, reasoningContent } = block;
      loseUnreadable(toolUse, assembly);
      if (isRecord(toolUse)) {
        start({ contentBlockIndex: index, start: { toolUse } });
        give(index, toolUse["input"]);
      }
      const inner = isRecord(reasoningContent) ? (reasoningContent["reasoningText"] ?? reasoningContent) : undefined;
      say(index, { ...block, reasoningContent: inner });
    });
    if (isRecord(body["usage"])) assembly.usage = body["usage"];
    stop(body);
  }
}

/** True for a repeated start of a call. */
const isSame = ({ id, name }: Slot, { toolUseId, name: given }: JsonObject): boolean =>
  id !== undefined && id === textOf(toolUseId) && name === given;

const finishes: ReadonlyMap<string, Exclude<Finish, null>> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool_calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["guardrail_intervened", "content_filter"],
  ["content_filtered", "content_filter"],
  ["malformed_tool_use", "error"],
  ["malformed_model_output", "error"],
]);
