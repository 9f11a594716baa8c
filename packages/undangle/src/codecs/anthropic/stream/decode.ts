import { isRecord, isWhole, jsonText, textOf } from "#core";
import type { Assembly, Finish, JsonObject, TextItem, Slot } from "#core";

import { extrasIn, isEmptyObject, reasonIn } from "../../stream/decoder.ts";
import { loseEntry } from "../../stream/events/unreadable-event.ts";
import type { StreamDecoder } from "../../stream/decoder.ts";
import { isKeepAliveName } from "../../stream/events/sse.ts";

/** Decodes Anthropic's Messages. Blocks are identified by index, and only `message_stop` ends the message. */
export function decodeAnthropic(assembly: Assembly): StreamDecoder {
  const choice = assembly.choice(0);
  const blocks = new Map<unknown, Block>();
  const calls: CallBlock[] = [];
  let last: Block | undefined;
  const reasons: Exclude<Finish, null>[] = [];
  let isClosed = false;
  let isUnclear = false; // the finish reason is unknown, or announces that the turn continues

  const start = (index: unknown, wire: JsonObject): void => {
    const { type, id, name, input } = wire;
    if (type === "tool_use" || (textOf(type) === undefined && textOf(name) !== undefined)) {
      const known = blocks.get(index);
      const isAgain = known?.type === "call" && isSame(known.slot, wire);
      const isGoingOn = isAgain && isNothing(known.input) && !isWhole(known.slot);
      if (isGoingOn) known.input = input;
      const { slot } = isGoingOn ? known : open(index, input);
      if (isAgain && !isGoingOn) slot.repeats = known.slot;
      assembly.identify(slot, id);
      assembly.name(slot, name);
      slot.extras = extrasIn(wire, isUsual, slot.extras);
      return;
    }
    const isServer = typeof type === "string" && /tool_use$|tool_result$/u.test(type);
    if (isServer) assembly.note("server-tool", choice);
    const isText = textOf(type) === undefined || texts.has(type);
    last = isServer
      ? { type: "server" }
      : isText
        ? { type: "said", thought: thoughtIn(type), isScattered: false }
        : { type: "unknown" };
    if (last.type === "said") {
      say(wire);
      seal(last.thought, wire);
    }
    blocks.set(index, last);
  };

  /** Thinking is signed per block, so each block is a separate part. */
  const thoughtIn = (type: unknown): TextItem | undefined =>
    type === "thinking" || type === "redacted_thinking" ? assembly.begin(choice, "reasoning") : undefined;

  const open = (index: unknown, input: unknown): CallBlock => {
    const slot = assembly.open(choice, typeof index === "number" ? index : undefined);
    const block: CallBlock = { type: "call", slot, input };
    blocks.set(index, block);
    calls.push(block);
    last = block;
    return block;
  };

  /** Adds the text or thinking of a block or a delta. */
  const say = (wire: JsonObject): void => {
    if (typeof wire["text"] === "string") assembly.text(choice, wire["text"]);
    if (typeof wire["thinking"] === "string") assembly.reasoning(choice, wire["thinking"]);
  };

  const blockAt = (index: unknown): Block | undefined =>
    blocks.get(index) ?? (index === undefined || index === null ? last : undefined);

  const more = (index: unknown, delta: JsonObject): void => {
    const json = delta["partial_json"];
    if (typeof json !== "string") {
      doubtArguments(blockAt(index));
      if (json === undefined || json === null) {
        if (blockAt(index)?.type === "unknown") return; // its text may not belong to the turn
        if (typeof delta["thinking"] === "string") keepApart(index);
        say(delta);
        if (delta["signature"] !== undefined) signAt(index, delta);
      } else if (!isEmptyObject(json)) moreParsed(index, json); // an empty object is only a placeholder for arguments
      return;
    }
    const block = blockAt(index);
    if (block?.type === "call") assembly.append(block.slot, json);
    // Arguments of a block that never started or is not a call cannot be assigned.
    else if (block?.type !== "server" && json !== "") assembly.append(open(index, undefined).slot, json);
  };

  /** Handles a call delta that is empty or not text. No server is known to send parsed arguments in deltas. */
  const doubtArguments = (block: Block | undefined): void => {
    if (block?.type === "call" && !block.slot.isOver) block.slot.isDoubtful = true;
  };

  const stop = (index: unknown): void => {
    const block = blockAt(index);
    if (block?.type === "call") block.slot.isOver = true;
  };

  /** Blocks arrive in sequence. If a server interleaves them, no signature may cover text of another block. */
  const keepApart = (index: unknown): void => {
    const block = blockAt(index);
    const before = choice.order.at(-1);
    if (block?.type === "said" && block.thought === before) return;
    if (block?.type === "said") block.isScattered = true;
    if (before?.type === "reasoning") before.isClosed = true;
  };

  const signAt = (index: unknown, delta: JsonObject): void => {
    const block = blockAt(index);
    if (block?.type !== "said" || block.thought === undefined || block.isScattered) return;
    seal(block.thought, delta);
    block.thought.isClosed = true; // more text would invalidate the signature
  };

  /** Adds arguments that the server has parsed. */
  const moreParsed = (index: unknown, json: unknown): void => {
    more(index, { partial_json: jsonText(json) });
    const block = blockAt(index);
    if (block?.type === "call") assembly.note("arguments-object", block.slot);
  };

  const readDelta = ({ stop_reason: reason }: JsonObject): void => {
    const given = reasonIn(reason);
    if (given === undefined) return;
    const known = stops.get(given);
    if (known === undefined) assembly.note("finish-unknown", choice);
    isUnclear ||= known === undefined || given === "pause_turn" || given === "compaction";
    if (!reasons.includes(known ?? "stop")) reasons.push(known ?? "stop");
  };

  /** Reads a response that is not streamed. */
  const readWhole = (message: JsonObject): void => {
    assembly.note("whole-body", choice);
    const content = Array.isArray(message["content"]) ? (message["content"] as readonly unknown[]) : [];
    content.forEach((block, index) => {
      if (typeof block !== "string") loseEntry(block, assembly); // some servers send a plain string
      if (isRecord(block)) start(index, block);
    });
    readDelta(message);
    isUnclear = false; // the arguments are complete
    readUsage(message["usage"]);
    close();
  };

  const readUsage = (usage: unknown): void => {
    if (isRecord(usage)) assembly.usage = { ...assembly.usage, ...usage };
  };

  const close = (): void => {
    if (!isClosed) for (const finish of reasons) assembly.finish(choice, finish);
    isClosed = true;
    assembly.close("turn");
  };

  /** A message without a type. After other events, such a frame is unrelated. */
  const isNameless = ({ role, content }: JsonObject): boolean =>
    assembly.frames === 1 && role === "assistant" && Array.isArray(content);

  /**
   * Handles everything but blocks. Blocks are read elsewhere, because the rare shapes here would deoptimize that code.
   */
  const readMessage = (type: unknown, value: JsonObject): void => {
    const { message, delta } = value;
    if (type === "message_start") {
      if (isRecord(message)) {
        assembly.salt = textOf(message["id"]) ?? "";
        readUsage(message["usage"]);
      }
    } else if (type === "message_delta") {
      if (isRecord(delta)) readDelta(delta);
      readUsage(value["usage"]);
    } else if (type === "message_stop") close();
    else if (type === "message" || (type === undefined && isNameless(value))) readWhole(value);
    else if (!isKeepAliveName(type)) {
      assembly.note("frame-unknown", choice);
      if (typeof value["type"] !== "string" || "delta" in value) assembly.doubt(); // otherwise it is an event of a proxy
    }
  };

  return {
    frame(value, event) {
      const type = value["type"] === delta ? delta : (textOf(value["type"]) ?? event);
      const { index, content_block: block } = value;
      if (type === delta) {
        if (isRecord(value["delta"])) more(index, value["delta"]);
        else if (blockAt(index)?.type !== "said") loseEntry(value["delta"], assembly);
      } else if (type === "content_block_start") {
        loseEntry(block, assembly);
        if (isRecord(block)) start(index, block);
      } else if (type === "content_block_stop") stop(index);
      else readMessage(type, value);
    },
    end() {
      for (const { slot, input } of calls) takeInput(slot, input, assembly);
      if (isUnclear && last?.type === "call" && isBlank(last.slot)) last.slot.isOpen = true; // possibly truncated after its name
      const bad = reasons.find((finish) => finish === "length" || finish === "content_filter");
      if (!isClosed && bad !== undefined) assembly.finish(choice, bad);
    },
  };
}

/** The keys of every call. Another key contains its caller. */
const isUsual: ReadonlySet<string> = new Set(["type", "id", "name", "input"]);

/** The most common event. */
const delta = "content_block_delta";

type Block = CallBlock | { readonly type: "server" | "unknown" } | TextBlock;

/** The block types with text of the turn; servers other than Anthropic's omit the type. */
const texts: ReadonlySet<unknown> = new Set([
  "text",
  "input_text",
  "output_text",
  "connector_text",
  "thinking",
  "redacted_thinking",
]);

interface TextBlock {
  readonly type: "said";
  /** The reasoning part of a thinking block. */
  readonly thought: TextItem | undefined;
  /** True if part of its text is elsewhere. */
  isScattered: boolean;
}

interface CallBlock {
  readonly type: "call";
  readonly slot: Slot;
  /** The input in its start event. */
  input: unknown;
}

/** Adds a signature to reasoning, or the data of redacted reasoning. */
function seal(thought: TextItem | undefined, { signature, data }: JsonObject): void {
  if (thought === undefined) return;
  const value = typeof data === "string" ? data : signature;
  if (typeof value !== "string" || value === "") return;
  thought.seal = { owner: "anthropic", value };
  thought.isRedacted = value === data;
}

/** True for a repeated start of a call. */
const isSame = (slot: Slot, { id, name }: JsonObject): boolean =>
  slot.id !== undefined && slot.id === textOf(id) && slot.name === name;

const isNothing = (input: unknown): boolean =>
  input === undefined || input === null || input === "" || isEmptyObject(input);

const isBlank = ({ fragments }: Slot): boolean => fragments.every((text) => text.trim() === "");

/** The input of the start event counts if no delta follows. */
function takeInput(slot: Slot, input: unknown, assembly: Assembly): void {
  if (input === undefined || input === null || !isBlank(slot)) return;
  if (typeof input === "string") assembly.append(slot, input);
  else if (!isEmptyObject(input)) assembly.append(slot, jsonText(input));
}

const stops: ReadonlyMap<string, Exclude<Finish, null>> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["pause_turn", "stop"],
  ["compaction", "stop"],
  ["stop", "stop"],
  ["tool_use", "tool_calls"],
  ["tool_calls", "tool_calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["length", "length"],
  ["refusal", "content_filter"],
  ["content_filter", "content_filter"],
  ["guardrail_intervened", "content_filter"],
  ["content_filtered", "content_filter"],
]);
