import { isRecord, jsonText, textOf } from "#core";
import type { Assembly, Choice, Finish, JsonObject, Seal, Slot } from "#core";

import { kindOf } from "../../convert/media.ts";
import { reasonIn } from "../../stream/decoder.ts";
import { loseEntry, loseUnreadable } from "../../stream/events/unreadable-event.ts";
import type { StreamDecoder } from "../../stream/decoder.ts";

/**
 * Decodes Gemini's generateContent: complete calls in parts, rarely with ids. Vertex may stream arguments in deltas.
 */
export function decodeGemini(assembly: Assembly): StreamDecoder {
  const known: Known = { broken: new Set(), named: new Map() };
  return {
    frame(given) {
      const value = isRecord(given["response"]) ? given["response"] : given; // Code Assist wraps it
      const usage = value["usageMetadata"] ?? value["usage_metadata"];
      if (isRecord(usage)) assembly.usage = usage;
      const id = value["responseId"] ?? value["response_id"];
      if (assembly.salt === "" && typeof id === "string") assembly.salt = id;
      const { candidates } = value;
      if (Array.isArray(candidates)) {
        for (const each of candidates) {
          if (isRecord(each)) readCandidate(each, assembly, known);
          else assembly.doubt();
        }
      }
      if (Array.isArray(candidates) ? candidates.length === 0 : "candidates" in value || !isRecord(usage))
        assembly.doubt();
      const feedback = value["promptFeedback"] ?? value["prompt_feedback"];
      const blocked = isRecord(feedback) ? textOf(feedback["blockReason"] ?? feedback["block_reason"]) : undefined;
      if (blocked !== undefined) assembly.finish(assembly.choice(0), "content_filter");
      else if (!Array.isArray(candidates) && !isRecord(usage)) assembly.note("frame-unknown");
    },
    end() {
      for (const slot of known.broken) slot.isOpen = true;
    },
  };
}

/** The state of the calls of a stream. */
interface Known {
  /** Calls with an argument delta that cannot be assigned. They are never complete. */
  readonly broken: Set<Slot>;
  /** The calls of each choice by id. */
  readonly named: Map<Choice, Map<string, Slot[]>>;
}

function readCandidate(candidate: JsonObject, assembly: Assembly, known: Known): void {
  const { index, content } = candidate;
  const choice = assembly.choice(typeof index === "number" ? index : 0);
  const parts = isRecord(content) ? content["parts"] : undefined;
  const reason = reasonIn(candidate["finishReason"] ?? candidate["finish_reason"]);
  if (!Array.isArray(parts) || parts.length === 0) {
    if (reason === undefined) assembly.doubt(); // otherwise it is the last event of a turn
  } else {
    for (const part of parts as readonly unknown[]) {
      loseEntry(part, assembly);
      if (!isRecord(part)) {
        assembly.doubt();
        continue;
      }
      const called = part["functionCall"] ?? part["function_call"];
      if (isRecord(called)) {
        readText(part, undefined, choice, assembly); // the signature of a part with text and a call belongs to the call
        const slot = slotFor(called, { choice, assembly, known });
        slot.seal = signatureOf(part) ?? slot.seal;
        readCall(called, slot, assembly, known.broken);
      } else {
        loseUnreadable(called, assembly);
        if (typeof part["text"] !== "string" && !Object.values(part).some(isRecord)) assembly.doubt();
        readPart(part, choice, assembly);
      }
    }
  }
  if (reason !== undefined) readFinish(reason, candidate, choice, assembly);
}

function readPart(part: JsonObject, choice: Choice, assembly: Assembly): void {
  if (readText(part, signatureOf(part), choice, assembly)) return;
  if (isRecord(part["executableCode"] ?? part["toolCall"])) assembly.note("server-tool", choice);
  else readMedia(part, choice, assembly);
}

/** False for a part without text. */
function readText({ text, thought }: JsonObject, seal: Seal | undefined, choice: Choice, assembly: Assembly): boolean {
  if (typeof text !== "string") return false;
  if (thought === true) assembly.reasoning(choice, text, seal);
  else assembly.text(choice, text, seal);
  return true;
}

function readMedia(part: JsonObject, choice: Choice, assembly: Assembly): void {
  const inline = part["inlineData"] ?? part["inline_data"];
  const seal = signatureOf(part);
  const given: JsonObject = isRecord(inline) ? inline : {};
  const { data } = given;
  if (typeof data === "string") {
    const mediaType = textOf(given["mimeType"] ?? given["mime_type"]);
    const media = { type: "media", kind: kindOf(mediaType), mediaType, source: { type: "bytes", data } } as const;
    assembly.media(choice, seal === undefined ? media : { ...media, seal });
  } else if (seal !== undefined && !Object.values(part).some(isRecord)) assembly.text(choice, "", seal); // it arrived alone
}

/** The signature of a part. Such a part stays separate, because it must be sent back unchanged. */
function signatureOf(part: JsonObject): Seal | undefined {
  const value = part["thoughtSignature"] ?? part["thought_signature"];
  return typeof value === "string" && value !== "" ? { owner: "gemini", value } : undefined;
}

/**
 * The call of a part. A call with a name is new. Without a name, it continues the call with its id, otherwise the last
 * call. The repeated name of an open call continues that call.
 */
function slotFor(called: JsonObject, { choice, assembly, known }: Place): Slot {
  const name = textOf(called["name"]);
  const id = textOf(called["id"]);
  const named = id === undefined ? undefined : known.named.get(choice)?.get(id);
  const last = named?.at(-1) ?? choice.slots.at(-1);
  const isNew = name === undefined && last?.isOver === true && saysArguments(called); // of a call whose name was lost
  if (isNew && (named !== undefined || last.isPartial)) known.broken.add(last);
  const isSame =
    (name === undefined && !isNew) || (last?.isOpen === true && last.name === name && (id ?? last.id) === last.id);
  const slot = last !== undefined && isSame ? last : (sentBefore(called, named) ?? assembly.open(choice));
  const isIdentified = slot.id !== undefined;
  assembly.identify(slot, id);
  assembly.name(slot, called["name"]);
  if (!isIdentified) remember(slot, known.named, choice);
  return slot;
}

interface Place {
  readonly choice: Choice;
  readonly assembly: Assembly;
  readonly known: Known;
}

function remember(slot: Slot, named: Known["named"], choice: Choice): void {
  if (slot.id === undefined) return;
  const ofChoice = named.get(choice) ?? new Map<string, Slot[]>();
  named.set(choice, ofChoice);
  const slots = ofChoice.get(slot.id) ?? [];
  ofChoice.set(slot.id, slots);
  slots.push(slot);
}

/** True for a call with arguments, complete or in deltas. */
const saysArguments = ({ args, partialArgs, partial_args: chunks = partialArgs }: JsonObject): boolean =>
  !isNothing(typeof args === "string" ? args : jsonText(args ?? {})) || (Array.isArray(chunks) && chunks.length > 0);

/** The maximum number of calls with one id that are compared with a new one. */
const mostCompared = 64;

/** The repeated call, including its id. An empty object was only a placeholder for its arguments. */
function sentBefore({ name, args }: JsonObject, named: readonly Slot[] | undefined): Slot | undefined {
  if (named === undefined) return undefined;
  const text = typeof args === "string" ? args : jsonText(args ?? {});
  return named.slice(-mostCompared).find((slot) => slot.name === name && areOne(textIn(slot), text));
}

/** The arguments of a call so far. */
const textIn = ({ hasText, fragments, value }: Slot): string => (hasText ? fragments.join("") : jsonText(value ?? {}));

const areOne = (one: string, other: string): boolean => one === other || isNothing(one) || isNothing(other);

const isNothing = (text: string): boolean => /^(?:\{\s*\})?$/u.test(text.trim());

function readCall(called: JsonObject, slot: Slot, assembly: Assembly, broken: Set<Slot>): void {
  const { args } = called;
  const isOver = slot.isPartial && !slot.isOpen; // the event that ended it has arrived
  if (isRecord(args) && !slot.hasText) slot.value = { ...slot.value, ...args };
  else if (args !== undefined && args !== null) {
    assembly.append(slot, typeof args === "string" ? args : jsonText(args));
  }
  const deltas = called["partialArgs"] ?? called["partial_args"] ?? [];
  const more = called["willContinue"] ?? called["will_continue"] ?? false;
  const isEmpty = slot.isOpen && more === true && !saysArguments(called); // an event for arguments that has none
  const isLate = isOver && saysArguments({ partialArgs: deltas });
  if (!Array.isArray(deltas) || typeof more !== "boolean" || isEmpty || isLate) broken.add(slot);
  if (Array.isArray(deltas)) {
    for (const delta of deltas) if (!isRecord(delta) || !putDelta(slot, delta)) broken.add(slot);
  }
  slot.isPartial ||= more === true || saysArguments({ partialArgs: deltas });
  slot.isOpen = more === true;
  slot.isOver = !slot.isOpen && !isNothing(textIn(slot)); // an empty object may be a placeholder for arguments
}

const valueKeys = [
  ["stringValue", "string_value", "string"],
  ["numberValue", "number_value", "number"],
  ["boolValue", "bool_value", "boolean"],
] as const;

/** False for a delta without a readable place or value. */
function putDelta(slot: Slot, delta: JsonObject): boolean {
  const path = delta["jsonPath"] ?? delta["json_path"];
  const given = valueKeys.flatMap(([camel, snake, type]) => {
    const value = camel in delta ? delta[camel] : delta[snake];
    return value === undefined ? [] : [{ value, isRight: typeof value === type }];
  });
  const isNull = "nullValue" in delta || "null_value" in delta;
  const first = given.find(({ value }) => value !== null);
  if (typeof path !== "string" || first?.isRight === false) return false;
  if (first === undefined && !isNull) return given.length === 0; // it only reports that a value continues or has ended
  slot.value ??= {};
  return putAt(slot.value, path, first?.value ?? null);
}

const finishes: ReadonlyMap<string, Exclude<Finish, null>> = new Map([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "content_filter"],
  ["RECITATION", "content_filter"],
  ["LANGUAGE", "content_filter"],
  ["BLOCKLIST", "content_filter"],
  ["PROHIBITED_CONTENT", "content_filter"],
  ["SPII", "content_filter"],
  ["IMAGE_SAFETY", "content_filter"],
  ["IMAGE_PROHIBITED_CONTENT", "content_filter"],
  ["IMAGE_RECITATION", "content_filter"],
  ["IMAGE_OTHER", "content_filter"],
  ["NO_IMAGE", "content_filter"],
  ["CONTINUATION", "length"],
  ["MALFORMED_FUNCTION_CALL", "error"],
  ["UNEXPECTED_TOOL_CALL", "error"],
  ["TOO_MANY_TOOL_CALLS", "error"],
  ["MISSING_THOUGHT_SIGNATURE", "error"],
  ["OTHER", "error"],
]);

/** Finish reasons outside the table, by keywords. */
const finishWords: readonly (readonly [RegExp, Exclude<Finish, null>])[] = [
  [/MALFORMED|ERROR|UNEXPECTED|MISSING|TOO_MANY/u, "error"],
  [/SAFETY|RECITATION|PROHIBITED|BLOCK|FILTER|IMAGE/u, "content_filter"],
];

function readFinish(reason: string, candidate: JsonObject, choice: Choice, assembly: Assembly): void {
  if (reason === "FINISH_REASON_UNSPECIFIED") return;
  const known = finishes.get(reason) ?? finishWords.find(([word]) => word.test(reason))?.[1] ?? "stop";
  if (!finishes.has(reason)) assembly.note("finish-unknown", choice);
  assembly.finish(choice, known === "stop" && choice.slots.length > 0 ? "tool_calls" : known); // one word has both meanings
  if (known !== "error") return;
  const message = textOf(candidate["finishMessage"] ?? candidate["finish_message"]);
  assembly.fail({ message: message ?? `Gemini ended the turn with ${reason}.`, from: "provider", code: reason });
}

/** Adds an argument delta at its JSON path; text at the same path is appended. False for an invalid path. */
export function putAt(root: Record<string, unknown>, path: string, value: unknown): boolean {
  const steps = stepsOf(path);
  const last = steps?.at(-1);
  if (steps === undefined || last === undefined) return false;
  let holder: Holder = root;
  for (const [i, step] of steps.slice(0, -1).entries()) {
    const known = read(holder, step);
    // A copy, because the value may belong to a caller's frame.
    const child: Holder = isHolder(known) ? copyOf(known) : typeof steps[i + 1] === "number" ? [] : {};
    if (known !== undefined && !isHolder(known)) return false;
    if (!write(holder, step, child)) return false;
    holder = child;
  }
  const known = read(holder, last);
  return write(holder, last, typeof known === "string" && typeof value === "string" ? known + value : value);
}

type Step = string | number;
type Holder = Record<string, unknown> | unknown[];

const isHolder = (value: unknown): value is Holder => typeof value === "object" && value !== null;

const copyOf = (holder: Holder): Holder => (Array.isArray(holder) ? [...holder] : { ...holder });

const steps = /\.([^.[\]]+)|\[(\d+)\]|\[(?:"([^"]*)"|'([^']*)')\]/uy;

/** The keys and indexes of a path such as `$.opts.days` or `$.tags[0]["a b"]`; undefined if it is invalid. */
function stepsOf(path: string): readonly Step[] | undefined {
  const found: Step[] = [];
  const text = path.startsWith("$") ? path.slice(1) : `.${path}`;
  const pattern = new RegExp(steps);
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) return undefined;
    const [, key, index, double, single] = match;
    found.push(index === undefined ? (key ?? double ?? single ?? "") : Number(index));
  }
  return found;
}

function read(holder: Holder, step: Step): unknown {
  return Object.hasOwn(holder, step) ? (holder as Record<Step, unknown>)[step] : undefined; // list indexes are numbers
}

/** Defines `__proto__` as an ordinary key. Lists get no holes. */
function write(holder: Holder, step: Step, value: unknown): boolean {
  if (Array.isArray(holder) && (typeof step !== "number" || step > holder.length)) return false;
  Object.defineProperty(holder, step, { value, writable: true, enumerable: true, configurable: true });
  return true;
}
