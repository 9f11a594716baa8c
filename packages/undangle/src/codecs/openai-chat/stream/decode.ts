import { isRecord, jsonText, textOf } from "#core";
import type { Assembly, Choice, Finish, JsonObject, Slot, TextItem } from "#core";

import { sourceOf } from "../../convert/media.ts";
import { appendArguments, extrasIn, isEmptyObject, reasonIn } from "../../stream/decoder.ts";
import { loseEntry, losePart, loseUnreadable } from "../../stream/events/unreadable-event.ts";
import type { StreamDecoder } from "../../stream/decoder.ts";
import { sortChoices } from "./choices.ts";
import { slotFor } from "./match-delta.ts";

/** Decodes chat completions of OpenAI and of compatible servers. */
export function decodeChat(assembly: Assembly): StreamDecoder {
  const details = createDetails(assembly);
  const choices = sortChoices(assembly, (wire, choice) => readChoice(wire, choice, assembly, details));
  return {
    frame(chunk) {
      const { choices: given, id, usage } = chunk;
      if (assembly.salt === "" && typeof id === "string") assembly.salt = id;
      if (isRecord(usage)) assembly.usage = usage;
      if (!Array.isArray(given)) {
        losePart(given, assembly);
        if (!isRecord(usage) && !("choices" in chunk) && !isChunk(chunk)) assembly.note("frame-unknown");
        assembly.doubt();
        return;
      }
      if (given.length === 0) assembly.doubt();
      for (let i = 0; i < given.length; i++) {
        const choice: unknown = given[i];
        if (isRecord(choice)) choices.take(choice, given.length > 1);
        else {
          losePart(choice, assembly);
          assembly.doubt();
        }
      }
    },
    end() {
      choices.end();
      details.apply();
    },
  };
}

export const isChunk = ({ object }: JsonObject): boolean => object === "chat.completion.chunk";

function readChoice(wire: JsonObject, choice: Choice, assembly: Assembly, details: Details): void {
  const { delta, message } = wire;
  const isStreamed = isRecord(delta);
  const texts = isStreamed ? delta : message;
  if (!isStreamed) losePart(delta, assembly);
  if (!isRecord(texts)) assembly.doubt();
  else {
    if (!isStreamed) assembly.note("whole-body", choice);
    if (choice.finishes.length > 0 && saysMore(texts)) assembly.note("after-finish", choice);
    const news = isStreamed || choice.order.length === 0 ? texts : whatIsNew(texts, choice);
    if (Array.isArray(news["reasoning_details"])) details.note(choice, news["reasoning_details"]);
    readMessage(news, choice, assembly);
  }
  const finish = reasonIn(wire["finish_reason"]);
  if (finish !== undefined) readFinish(finish, choice, assembly);
}

/** A message after deltas repeats everything; only new fields count. */
function whatIsNew({ content, tool_calls: calls }: JsonObject, { order, slots }: Choice): JsonObject {
  const hasText = order.some(({ type }) => type === "text");
  return { ...(!hasText && { content }), ...(slots.length === 0 && { tool_calls: calls }) };
}

const saysMore = ({ content, tool_calls: calls }: JsonObject): boolean =>
  (typeof content === "string" && content !== "") || (Array.isArray(calls) && calls.length > 0);

function readMessage(message: JsonObject, choice: Choice, assembly: Assembly): void {
  const { content } = message;
  const reasoning = message["reasoning_content"] || message["reasoning"] || message["reasoning_text"];
  if (typeof reasoning === "string") assembly.reasoning(choice, reasoning);
  else if (Array.isArray(message["reasoning_details"])) readDetails(message["reasoning_details"], choice, assembly);
  if (typeof content === "string") assembly.text(choice, content);
  else if (Array.isArray(content)) for (const part of content) readPart(part, choice, assembly);
  if (typeof message["refusal"] === "string") assembly.text(choice, message["refusal"]);
  if (Array.isArray(message["images"])) for (const image of message["images"]) readImage(image, choice, assembly);
  const calls = message["tool_calls"];
  if (Array.isArray(calls)) for (let i = 0; i < calls.length; i++) readCall(calls[i], choice, assembly);
  else if (isRecord(calls)) readCall(calls, choice, assembly);
  else if (calls !== undefined) loseUnreadable(calls, assembly);
  if (isOdd(calls) || isOdd(message["function_call"])) assembly.doubt();
  const legacy = message["function_call"];
  if (isRecord(legacy)) readLegacy(legacy, choice, assembly);
  else if (legacy !== undefined) loseUnreadable(legacy, assembly);
}

/** OpenRouter's list, if no other field contains the reasoning. */
function readDetails(details: readonly unknown[], choice: Choice, assembly: Assembly): void {
  for (const detail of details) {
    const texts = isRecord(detail) ? (detail["text"] ?? detail["summary"]) : undefined;
    if (typeof texts === "string") assembly.reasoning(choice, texts);
  }
}

/** Content as a list: text, and thinking as Mistral sends it. */
function readPart(part: unknown, choice: Choice, assembly: Assembly): void {
  if (!isRecord(part)) return;
  const { type, text, thinking } = part;
  if (type === "thinking" || type === "reasoning") {
    const inner: readonly unknown[] = Array.isArray(thinking) ? thinking : [thinking ?? text];
    for (const each of inner) {
      const texts = isRecord(each) ? each["text"] : each;
      if (typeof texts === "string") assembly.reasoning(choice, texts);
    }
  } else if (typeof text === "string") assembly.text(choice, text);
  else readImage(part, choice, assembly);
}

/** Reads a generated image, as OpenRouter sends it. An image with only a URL has no data, and is ignored. */
function readImage(part: unknown, choice: Choice, assembly: Assembly): void {
  const given = isRecord(part) ? part["image_url"] : undefined;
  const url = isRecord(given) ? given["url"] : given;
  if (typeof url !== "string") return;
  const { source, mediaType } = sourceOf(url);
  if (source.type === "bytes") assembly.media(choice, { type: "media", kind: "image", mediaType, source });
}

function readCall(wire: unknown, choice: Choice, assembly: Assembly): void {
  if (!isRecord(wire)) {
    loseEntry(wire, assembly);
    assembly.doubt();
    return;
  }
  const called = wire["function"] ?? wire["custom"];
  loseUnreadable(called, assembly);
  const inner = isRecord(called) ? called : wire; // some servers omit the wrapper
  const slot = slotFor(wire, inner, choice, assembly);
  if (wire["id"] !== undefined) assembly.identify(slot, wire["id"]);
  if (inner["name"] !== undefined) assembly.name(slot, inner["name"]);
  readExtras(wire, inner, slot);
  if (wire["type"] === "custom") {
    slot.isFreeText = true;
    slot.extras = { ...slot.extras, type: "custom" };
  }
  giveArguments(slot, inner["arguments"] ?? inner["input"], inner, assembly);
}

/**
 * A delta after the one with the name contains only arguments. No server is known to send a parsed object in two
 * deltas.
 */
function giveArguments(slot: Slot, args: unknown, { name }: JsonObject, assembly: Assembly): void {
  const isLater = slot.name !== "" && textOf(name) === undefined;
  if (isLater && typeof args !== "string") slot.isDoubtful = true;
  if (!isLater || !isEmptyObject(args)) appendArguments(slot, args, assembly);
}

/** True for a value that is neither calls nor absent. Clients and proxies write null and empty lists for no calls. */
const isOdd = (calls: unknown): boolean =>
  calls !== undefined && calls !== null && !isRecord(calls) && !Array.isArray(calls);

/** Other fields of a call: signatures, as Google sends them, and LiteLLM under its own name. */
function readExtras(wire: JsonObject, called: JsonObject, slot: Slot): void {
  slot.extras = extrasIn(wire, isUsual, slot.extras);
  const inner = called === wire ? undefined : extrasIn(called, isUsual, undefined);
  if (inner !== undefined)
    slot.extras = { ...slot.extras, function: { ...recordIn(slot.extras?.["function"]), ...inner } };
  const signature = recordIn(recordIn(wire["extra_content"])?.["google"])?.["thought_signature"];
  if (typeof signature === "string" && signature !== "") slot.seal = { owner: "gemini", value: signature };
}

/** Keys that every call has, including the called function. */
const isUsual: ReadonlySet<string> = new Set([
  "index",
  "id",
  "type",
  "function",
  "custom",
  "name",
  "arguments",
  "input",
]);

const recordIn = (value: unknown): JsonObject | undefined => (isRecord(value) ? value : undefined);

function readLegacy(called: JsonObject, choice: Choice, assembly: Assembly): void {
  const label = "function_call";
  const known = choice.slots.find((slot) => slot.label === label);
  if (known === undefined && choice.slots.length > 0) return; // the same call in two forms, for old and new clients
  const slot = known ?? assembly.open(choice, label);
  assembly.note("legacy-function-call", slot);
  assembly.name(slot, called["name"]);
  giveArguments(slot, called["arguments"], called, assembly);
}

const finishes: ReadonlyMap<string, Exclude<Finish, null>> = new Map([
  ["stop", "stop"],
  ["eos", "stop"],
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["completed", "stop"],
  ["tool_calls", "tool_calls"],
  ["tool_use", "tool_calls"],
  ["function_call", "tool_calls"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["max_output_tokens", "length"],
  ["model_length", "length"],
  ["content_filter", "content_filter"],
  ["safety", "content_filter"],
  ["sensitive", "content_filter"],
  ["refusal", "content_filter"],
  ["error", "error"],
  ["network_error", "error"],
]);

/** Finish reasons outside the table, by keywords. */
const finishWords: readonly (readonly [RegExp, Exclude<Finish, null>])[] = [
  [/malformed|unexpected|error|insufficient|abort|fail|cancel|time_?out|overload/iu, "error"],
  [/filter|safety|sensitive|block|prohibited|recitation|spii|refus|moderat/iu, "content_filter"],
  [/length|max\w{0,40}tokens|context_window/iu, "length"],
];

function readFinish(reason: string, choice: Choice, assembly: Assembly): void {
  const known = finishes.get(reason.trim().toLowerCase());
  if (known === undefined) assembly.note("finish-unknown", choice);
  const finish = known ?? finishWords.find(([word]) => word.test(reason))?.[1] ?? "stop";
  assembly.finish(choice, finish);
  if (finish === "error") {
    assembly.fail({
      message: `The provider ended the turn with the reason ${reason}.`,
      from: "provider",
      code: reason,
    });
  }
}

/**
 * OpenRouter's `reasoning_details`: signed or encrypted reasoning of any upstream format. A block arrives in deltas,
 * its signature often in a last one without text, and must be sent back whole.
 */
interface Details {
  note(choice: Choice, details: readonly unknown[]): void;
  /** Adds signatures to the reasoning of every choice that has any. */
  apply(): void;
}

function createDetails(assembly: Assembly): Details {
  const all = new Map<Choice, Kept>();
  return {
    note(choice, details) {
      if (details.length === 0) return;
      const known = all.get(choice) ?? { item: assembly.begin(choice, "reasoning"), blocks: [], places: new Map() };
      all.set(choice, known);
      for (const detail of details) if (isRecord(detail)) add(known, detail);
    },
    apply() {
      for (const { item, blocks } of all.values()) {
        const isSigned = blocks.some(
          ({ signature, data }) => typeof signature === "string" || typeof data === "string",
        );
        if (isSigned) item.seal = { owner: "openrouter", value: jsonText(blocks) };
      }
    },
  };
}

type Block = Record<string, unknown>;

/** The details of one choice. */
interface Kept {
  readonly item: TextItem;
  readonly blocks: Block[];
  /** The newest block by type and index. */
  readonly places: Map<string, Block>;
}

/** Deltas of a block have its index, or are consecutive. */
function add({ blocks, places }: Kept, detail: JsonObject): void {
  const { type, index } = detail;
  const place = typeof index === "number" ? `${index} ${textOf(type)}` : undefined;
  const known = place === undefined ? blocks.at(-1) : places.get(place);
  const isMore =
    known !== undefined &&
    known["type"] === type &&
    known["index"] === index &&
    known["data"] === undefined && // what is encrypted comes whole
    typeof known["signature"] !== "string";
  if (!isMore) {
    const block = { ...detail };
    blocks.push(block);
    if (place !== undefined) places.set(place, block);
    return;
  }
  for (const [key, value] of Object.entries(detail)) {
    const before = known[key];
    const isText = (key === "text" || key === "summary") && typeof value === "string" && typeof before === "string";
    if (isText) known[key] = before + value;
    else if (value !== undefined && value !== null) known[key] = value;
  }
}
