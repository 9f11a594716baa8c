import { isRecord, isWhole, jsonText, textOf } from "#core";
import type { Assembly, Choice, Finish, Slot } from "#core";

import type { StreamDecoder } from "../stream/decoder.ts";

type Wire = Readonly<Record<string, unknown>>;

/** Chat completions, as OpenAI and everybody who calls himself compatible sends them. */
export function decodeChat(assembly: Assembly): StreamDecoder {
  const choices = sortChoices(assembly);
  return {
    frame(chunk) {
      const { choices: given, id, usage } = chunk;
      if (assembly.salt === "" && typeof id === "string") assembly.salt = id;
      if (isRecord(usage)) assembly.usage = usage;
      if (!Array.isArray(given)) {
        if (!isRecord(usage) && !("choices" in chunk)) assembly.note("frame-unknown");
        return;
      }
      for (let i = 0; i < given.length; i++) {
        const choice: unknown = given[i];
        if (isRecord(choice)) choices.take(choice, given.length > 1);
      }
    },
    end: choices.end,
  };
}

interface Choices {
  readonly take: (wire: Wire, isOneOfMany: boolean) => void;
  readonly end: () => void;
}

/** As many choices as nobody asks for: a server that counts this far counts its chunks. */
const mostChoices = 16;

/**
 * Takes choices apart by their index, unless a server counts it up with every chunk: then all are one. What tells is
 * whether a choice is ever spoken of again, or ends: until then those behind the first are held back.
 */
function sortChoices(assembly: Assembly): Choices {
  let held: Wire[] | undefined = [];
  let isOne = false;
  let last = 0;
  let first: number | undefined;

  const read = (wire: Wire): void => readChoice(wire, assembly.choice(isOne ? (first ?? 0) : numberOf(wire)), assembly);

  const settle = (areOne: boolean): void => {
    isOne = areOne && held !== undefined && held.length > 0;
    const wires = held ?? [];
    held = undefined;
    if (isOne) assembly.note("choices-folded", assembly.choice(first ?? 0));
    wires.forEach(read);
  };

  return {
    take(wire, isOneOfMany) {
      if (held === undefined) {
        last = numberOf(wire);
        read(wire);
        return;
      }
      const number = numberOf(wire);
      first ??= number;
      if (isOneOfMany || number < last || (number > first && hasFinish(assembly.choice(first)))) settle(false);
      else if (number - first >= mostChoices) settle(true);
      last = number;
      if (held === undefined || number === first) read(wire);
      else held.push(wire);
    },
    end() {
      // A last chunk that ends the answer belongs to it; one of two answers would have ended itself. Without an end it
      // takes the shape of the server that is known for it.
      const endings = held?.filter(({ finish_reason: reason }) => textOf(reason) !== undefined) ?? [];
      const isCounted = held?.every(({ delta, message }) => isRecord(delta) && isRecord(message)) === true;
      settle(endings.length === 0 ? isCounted : endings.every((wire) => numberOf(wire) === last));
    },
  };
}

const numberOf = ({ index }: Wire): number => (typeof index === "number" ? index : 0);

const hasFinish = ({ finishes }: Choice): boolean => finishes.length > 0;

function readChoice(wire: Wire, choice: Choice, assembly: Assembly): void {
  const { delta, message } = wire;
  const isStreamed = isRecord(delta);
  const said = isStreamed ? delta : message;
  if (isRecord(said)) {
    if (!isStreamed) assembly.note("whole-body", choice);
    if (choice.finishes.length > 0 && saysMore(said)) assembly.note("after-finish", choice);
    readMessage(isStreamed || choice.order.length === 0 ? said : whatIsNew(said, choice), choice, assembly);
  }
  const finish = textOf(wire["finish_reason"]);
  if (finish !== undefined) readFinish(finish, choice, assembly);
}

/** A message behind deltas says all of it once more: what nothing was said of yet counts. */
function whatIsNew({ content, tool_calls: calls }: Wire, { order, slots }: Choice): Wire {
  const hasText = order.some(({ type }) => type === "text");
  return { ...(!hasText && { content }), ...(slots.length === 0 && { tool_calls: calls }) };
}

const saysMore = ({ content, tool_calls: calls }: Wire): boolean =>
  (typeof content === "string" && content !== "") || (Array.isArray(calls) && calls.length > 0);

function readMessage(message: Wire, choice: Choice, assembly: Assembly): void {
  const { content } = message;
  const reasoning = message["reasoning_content"] || message["reasoning"] || message["reasoning_text"];
  if (typeof reasoning === "string") assembly.reasoning(choice, reasoning);
  else if (Array.isArray(message["reasoning_details"])) readDetails(message["reasoning_details"], choice, assembly);
  if (typeof content === "string") assembly.text(choice, content);
  else if (Array.isArray(content)) for (const part of content) readPart(part, choice, assembly);
  if (typeof message["refusal"] === "string") assembly.text(choice, message["refusal"]);
  const calls = message["tool_calls"];
  if (Array.isArray(calls)) for (let i = 0; i < calls.length; i++) readCall(calls[i], choice, assembly);
  else if (isRecord(calls)) readCall(calls, choice, assembly);
  const legacy = message["function_call"];
  if (isRecord(legacy)) readLegacy(legacy, choice, assembly);
}

/** OpenRouter's list, where nothing else says what was thought. */
function readDetails(details: readonly unknown[], choice: Choice, assembly: Assembly): void {
  for (const detail of details) {
    const said = isRecord(detail) ? (detail["text"] ?? detail["summary"]) : undefined;
    if (typeof said === "string") assembly.reasoning(choice, said);
  }
}

/** Content as a list: text, and thinking as Mistral sends it. */
function readPart(part: unknown, choice: Choice, assembly: Assembly): void {
  if (!isRecord(part)) return;
  const { type, text, thinking } = part;
  if (type === "thinking" || type === "reasoning") {
    const inner: readonly unknown[] = Array.isArray(thinking) ? thinking : [thinking ?? text];
    for (const each of inner) {
      const said = isRecord(each) ? each["text"] : each;
      if (typeof said === "string") assembly.reasoning(choice, said);
    }
  } else if (typeof text === "string") assembly.text(choice, text);
}

function readCall(wire: unknown, choice: Choice, assembly: Assembly): void {
  if (!isRecord(wire)) return;
  const called = wire["function"] ?? wire["custom"];
  const inner = isRecord(called) ? called : wire; // some leave the wrapper out
  const slot = slotFor(wire, inner, choice, assembly);
  if (wire["id"] !== undefined) assembly.identify(slot, wire["id"]);
  if (inner["name"] !== undefined) assembly.name(slot, inner["name"]);
  const extra = wire["extra_content"];
  if (isRecord(extra)) slot.extras = { ...slot.extras, extra_content: extra };
  if (wire["type"] === "custom") {
    slot.isFreeText = true;
    slot.extras = { ...slot.extras, type: "custom" };
  }
  appendArguments(slot, inner["arguments"] ?? inner["input"], assembly);
}

function appendArguments(slot: Slot, args: unknown, assembly: Assembly): void {
  if (typeof args === "string") assembly.append(slot, args);
  else if (args !== undefined && args !== null) {
    assembly.note("arguments-object", slot);
    if (!isEmpty(args) || !slot.hasText) assembly.append(slot, jsonText(args));
  }
}

const isEmpty = (args: unknown): boolean => isRecord(args) && Object.keys(args).length === 0;

/** Finds the call that a delta belongs to: by its label, by its id, or as the last one that is open. */
function slotFor(wire: Wire, called: Wire, choice: Choice, assembly: Assembly): Slot {
  const { index } = wire;
  const label = typeof index === "number" ? index : (numberIn(index) ?? numberIn(called["index"]));
  const { slots } = choice;
  const delta: Delta = { wire, called, tools: assembly.options.tools, frame: assembly.frames };
  if (label !== undefined) {
    const last = slots.at(-1);
    const known = last?.label === label ? last : slots.findLast((slot) => slot.label === label);
    if (known === undefined) return adopted(choice, label, delta) ?? assembly.open(choice, label);
    if (wire["id"] === undefined && called["name"] === undefined) return known;
    if (!opensAnother(known, delta)) return known;
    assembly.note("index-reused", known);
    return assembly.open(choice, label);
  }
  const slot = unlabelled(choice, delta) ?? assembly.open(choice);
  assembly.note("index-missing", slot);
  slot.touched = assembly.frames;
  return slot;
}

/** A piece of a call as it stands in a frame. */
interface Delta {
  readonly wire: Wire;
  readonly called: Wire;
  readonly tools: ReadonlySet<string> | undefined;
  readonly frame: number;
}

const numberIn = (index: unknown): number | undefined => {
  if (typeof index === "number") return index;
  return typeof index === "string" && /^-?\d+$/u.test(index) ? Number(index) : undefined;
};

/** The call that had no index until now: one that a delta without a name goes on with, or with its id. */
function adopted({ slots }: Choice, label: number, { wire, called }: Delta): Slot | undefined {
  const id = textOf(wire["id"]);
  const last = slots.at(-1);
  const slot =
    id === undefined
      ? textOf(called["name"]) === undefined && last?.label === undefined
        ? last
        : undefined
      : slots.findLast((each) => each.id === id && (each.label === undefined || textOf(called["name"]) === undefined));
  if (slot !== undefined) slot.label ??= label;
  return slot;
}

/** True when a delta on the label of a call, or with its id, begins another one. */
function opensAnother(slot: Slot, { wire, called, tools }: Delta): boolean {
  const id = textOf(wire["id"]);
  const name = textOf(called["name"]);
  if (name === undefined) return false;
  if (id !== undefined && slot.id !== undefined && id !== slot.id) return true;
  if (slot.name === "") return false;
  if (!slot.hasText) return id === undefined && slot.id === undefined && areTwo(slot.name, name, tools);
  if (!isWhole(slot)) return false;
  // A name after whole arguments begins a call when it is another one, or when nobody gives ids and more arguments come.
  return name !== slot.name || (id === undefined && slot.id === undefined && hasArguments(called));
}

/** Two names of offered tools, and not one in two pieces. */
const areTwo = (one: string, other: string, tools: Delta["tools"]): boolean =>
  one !== other && tools?.has(one) === true && tools.has(other) && !tools.has(one + other);

const hasArguments = ({ arguments: args }: Wire): boolean =>
  typeof args === "string" ? args.trim() !== "" : isRecord(args);

/** The call that a delta without an index belongs to; undefined when it begins one. */
function unlabelled({ slots }: Choice, delta: Delta): Slot | undefined {
  const id = textOf(delta.wire["id"]);
  const name = textOf(delta.called["name"]);
  const last = slots.at(-1);
  const named = id === undefined ? undefined : slots.findLast((slot) => slot.id === id);
  if (named !== undefined) return opensAnother(named, delta) ? undefined : named;
  if (last === undefined) return undefined;
  if (last.id === undefined && last.name === "" && !last.hasText) return last;
  if (name === undefined) return id !== undefined && last.id !== undefined && isWhole(last) ? undefined : last;
  if (last.touched === delta.frame) return undefined; // two entries of one chunk are two calls
  if (id !== undefined && last.id !== undefined) return undefined;
  if (last.name === "") return last;
  if (last.hasText) return last.name === name && !(isWhole(last) && hasArguments(delta.called)) ? last : undefined;
  return continuesName(last.name, name, delta.tools) ? last : undefined;
}

/** The same name again, or the rest of one that was split. */
function continuesName(known: string, piece: string, tools: Delta["tools"]): boolean {
  if (known.startsWith(piece)) return true;
  if (tools === undefined) return /[_.-]$/u.test(known) || /^[_.-]/u.test(piece);
  return [...tools].some((tool) => tool.startsWith(known + piece));
}

function readLegacy(called: Wire, choice: Choice, assembly: Assembly): void {
  const label = "function_call";
  const known = choice.slots.find((slot) => slot.label === label);
  if (known === undefined && choice.slots.length > 0) return; // the same call, for clients of two generations
  const slot = known ?? assembly.open(choice, label);
  assembly.note("legacy-function-call", slot);
  assembly.name(slot, called["name"]);
  appendArguments(slot, called["arguments"], assembly);
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

/** Reasons that are not in the table, by what they speak of. */
const finishWords: readonly (readonly [RegExp, Exclude<Finish, null>])[] = [
  [/malformed|unexpected|error|insufficient|abort|fail|cancel|time_?out|overload/iu, "error"],
  [/filter|safety|sensitive|block|prohibited|recitation|spii|refus|moderat/iu, "content_filter"],
  [/length|max_?\w*tokens|context_window/iu, "length"],
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
