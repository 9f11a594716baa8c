import { isObjectText, isRecord, isWhole, jsonText, replaceText, textOf } from "#core";
import type { Assembly, JsonObject, Slot } from "#core";

import { answeredIds, clientCallIn, isClientOutput, isClientType } from "../client-tools.ts";
import { appendArguments, extrasIn, isEmptyObject } from "../../stream/decoder.ts";
import { loseEntry, loseUnreadable } from "../../stream/events/unreadable-event.ts";
import type { StreamDecoder } from "../../stream/decoder.ts";
import { isKnownEvent, isCallType } from "./frames.ts";
import { isKeepAliveName } from "../../stream/events/sse.ts";
import { createItems } from "./items.ts";
import type { Item } from "./items.ts";
import { createSignatures } from "./signatures.ts";

/**
 * Decodes OpenAI's Responses. Items are identified by output index, calls by `call_id`, and done events override
 * deltas.
 */
export function decodeResponses(assembly: Assembly): StreamDecoder {
  const choice = assembly.choice(0);
  const hasClientTools = assembly.options.hasClientTools !== false;
  /** The call of an OpenAI tool that the client runs. */
  const clientCall = (wire: JsonObject): ReturnType<typeof clientCallIn> =>
    hasClientTools ? clientCallIn(wire) : undefined;
  const items = createItems((wire) => clientCall(wire) !== undefined);
  let isTextLoose = false; // text without an item
  const signatures = createSignatures();
  const named = new Map<string, Slot>(); // the first call of each id
  const finished = new Set<Slot>(); // calls that were reported as done

  /** Sets the name of an item once it is known to be a call. */
  const name = (item: Item, wire: JsonObject): Item => {
    if (item.kind !== "call") {
      if (isClientOutput(wire)) leaveOut(answeredIds(wire));
      beginText(item);
      signatures.note(item, wire);
      if (!item.isNoted && item.kind.endsWith("_call")) assembly.note("server-tool", choice);
      item.isNoted = true;
      return item;
    }
    const slot = slotOf(item);
    signatures.note(item, wire);
    assembly.identify(slot, wire["call_id"]);
    const own = clientCall(wire);
    if (slot.name === "") assembly.name(slot, own?.name ?? wire["name"]);
    if (wire["call_id"] !== undefined) joinTwin(slot);
    if (isCallType(wire["type"])) slot.extras = extrasIn(wire, isUsual, slot.extras);
    if (own !== undefined) {
      slot.extras = { ...slot.extras, type: wire["type"] };
      if (slot.value === undefined) slot.isOpen = true; // until the item is done
    }
    if (wire["type"] === "custom_tool_call") {
      slot.isFreeText = true;
      slot.extras = { ...slot.extras, type: "custom" };
    }
    return item;
  };

  /** Removes calls whose outputs are in the same response, because the provider ran them. */
  const leaveOut = (ids: readonly string[]): void => {
    for (const slot of ids.flatMap((id) => named.get(id) ?? [])) {
      const at = choice.slots.indexOf(slot);
      if (at < 0 || !isClientType(slot.extras?.["type"])) continue;
      choice.slots.splice(at, 1);
      const place = choice.order.findIndex((each) => each.type === "call" && each.slot === slot);
      choice.order.splice(place, 1);
      assembly.note("server-tool", choice);
    }
  };

  /** Two items with one call id may be the same call. Their content decides at the end. */
  const joinTwin = (slot: Slot): void => {
    const { id } = slot;
    if (id === undefined) return;
    const known = named.get(id);
    if (known === undefined) named.set(id, slot);
    else if (known !== slot && known.name === slot.name) slot.repeats = known;
  };

  const slotOf = (item: Item): Slot => (item.slot ??= assembly.open(choice, item.index));

  /** Each text or reasoning item is a separate part, because it is stored or encrypted separately. */
  const beginText = (item: Item): void => {
    if (item.kind === "message") item.textItem ??= assembly.begin(choice, "text");
    if (item.kind === "reasoning") item.textItem ??= assembly.begin(choice, "reasoning");
  };

  /** Applies the final version of an item, which fills in what the deltas omitted. */
  const settle = (item: Item, wire: JsonObject): void => {
    const own = clientCall(wire);
    if (own !== undefined) {
      if (own.arguments === undefined) return;
      const slot = slotOf(item);
      slot.value = { ...own.arguments };
      slot.isOpen = false;
    } else if (item.kind === "call") {
      const args = wire["arguments"] ?? wire["input"];
      replace(slotOf(item), args, assembly);
      if (typeof args === "string" && args.trim() !== "") item.isDoubtful = false;
    }
    if (item.hasText || (item.kind === "message" && isTextLoose)) return;
    if (item.kind === "image_generation_call") draw(item, wire);
    if (item.kind !== "message" && item.kind !== "reasoning") return;
    for (const part of [...listIn(wire["summary"]), ...listIn(wire["content"])]) {
      const text = isRecord(part) ? (part["text"] ?? part["refusal"]) : undefined;
      if (typeof text === "string") say(item, text);
    }
  };

  const say = (item: Item, text: string): void => {
    item.hasText = true;
    beginText(item);
    if (item.kind === "reasoning") assembly.reasoning(choice, text);
    else assembly.text(choice, text);
  };

  const draw = (item: Item, { result: data, output_format: format, id }: JsonObject): void => {
    if (typeof data !== "string" || data === "") return;
    item.hasText = true;
    const mediaType = `image/${textOf(format) ?? "png"}`;
    const media = { type: "media", kind: "image", mediaType, source: { type: "bytes", data } } as const;
    const name = textOf(id);
    assembly.media(choice, name === undefined ? media : { ...media, seal: { owner: "openai", value: "", id: name } });
  };

  /** The call that an event continues; none if the server reported it as done and complete. */
  const openCall = (event: JsonObject, isAll = false): Slot | undefined => {
    const item = name(isAll ? items.completedAt(event) : items.callAt(event), event);
    const slot = slotOf(item);
    return item.isDone && slot.hasText && (slot.isFreeText || isWhole(slot)) ? undefined : slot;
  };

  const delta = (type: string, event: JsonObject): void => {
    const text = event["delta"];
    const kind = kindOf(type);
    if (typeof text !== "string") {
      if (kind === "call") {
        loseUnreadable(text, assembly);
        assembly.doubt();
      }
      const hasContent = kind === "call" && isRecord(text) && !isEmptyObject(text);
      const slot = hasContent ? openCall(event) : undefined;
      if (slot !== undefined) appendArguments(slot, text, assembly);
    } else if (kind === "call") {
      const slot = openCall(event);
      if (slot !== undefined) assembly.append(slot, text);
    } else if (kind !== undefined) {
      const item = items.at(event, kind);
      if (item !== undefined) say(item, text);
      else if (kind === "reasoning") assembly.reasoning(choice, text);
      else {
        isTextLoose = true;
        assembly.text(choice, text);
      }
    }
  };

  const done = (type: string, event: JsonObject): void => {
    const kind = kindOf(type);
    if (kind === "call") {
      const slot = openCall(event, true);
      if (slot !== undefined) replace(slot, event["arguments"] ?? event["input"], assembly);
      return;
    }
    const text = event["text"] ?? event["refusal"];
    const item = kind === "message" ? items.at(event, kind) : undefined;
    if (item?.hasText === false && typeof text === "string") say(item, text);
  };

  const snapshot = (response: JsonObject): void => {
    const output = listIn(response["output"]);
    const claimed = new Set(output.map((wire) => (isRecord(wire) ? textOf(wire["call_id"]) : undefined)));
    const isTaken = new Set<Item>();
    const candidates = items.candidates();
    output.forEach((wire, position) => {
      loseEntry(wire, assembly);
      if (!isRecord(wire)) return;
      const item = items.inSnapshot(wire, position, { isTaken, claimed, candidates });
      const isKnown = isSettled(item, wire);
      name(item, wire);
      if (!isKnown) settle(item, wire);
      item.isDone ||= item.slot !== undefined && isWhole(item.slot); // anything after the complete response
    });
    const settled = new Set([...isTaken].flatMap(({ slot }) => slot ?? []));
    partTwins(settled);
    forgetStray(settled);
    if (isRecord(response["usage"])) assembly.usage = response["usage"];
  };

  /** Separates calls that are two items in the complete response. */
  const partTwins = (settled: ReadonlySet<Slot>): void => {
    for (const slot of settled) {
      const { repeats: twin } = slot;
      if (twin !== undefined && settled.has(twin) && twin.fragments.join("") !== slot.fragments.join(""))
        slot.repeats = undefined;
    }
  };

  /**
   * Drops stray deltas if the complete response has the arguments of every call: deltas without a name, or without an
   * id if all others have one. Also drops deltas under an id that the response has elsewhere and that was never
   * reported as done.
   */
  const forgetStray = (settled: ReadonlySet<Slot>): void => {
    const all = [...settled];
    if (all.length === 0 || !all.every((slot) => slot.isFreeText || isWhole(slot))) return;
    const ids = new Set(all.map(({ id }) => id));
    const stray = new Set<Slot>();
    for (const slot of choice.slots) {
      const isUnclaimed = slot.id === undefined && (slot.name === "" || !ids.has(undefined));
      const isTwin = slot.id !== undefined && ids.has(slot.id) && !finished.has(slot);
      if (settled.has(slot) || !(isUnclaimed || isTwin)) continue;
      slot.name = "";
      replaceText(slot, "");
      stray.add(slot);
    }
    for (const each of all) if (each.repeats !== undefined && stray.has(each.repeats)) each.repeats = undefined;
  };

  const finish = (response: JsonObject, ending: string): void => {
    snapshot(response);
    const given = textOf(response["status"]) ?? "";
    const status = isBad(ending) ? ending : given;
    const { error, incomplete_details: details } = response;
    if (status === "failed" || status === "cancelled") {
      const message = isRecord(error) ? textOf(error["message"]) : undefined;
      const code = isRecord(error) ? textOf(error["code"]) : undefined;
      assembly.finish(choice, "error");
      assembly.fail({ message: message ?? `The response is ${status}.`, from: "provider", code: code ?? status });
    } else if (status === "incomplete") {
      const reason = isRecord(details) ? textOf(details["reason"]) : undefined;
      assembly.finish(choice, reason === "content_filter" ? "content_filter" : "length");
    } else assembly.finish(choice, choice.slots.length > 0 ? "tool_calls" : "stop");
  };

  /** Reads a response that is not streamed. A response in progress has no end. */
  const whole = (response: JsonObject): void => {
    assembly.note("whole-body", choice);
    assembly.salt = textOf(response["id"]) ?? "";
    if (response["store"] === false) signatures.forgetIds();
    if (/^(?:in_progress|queued)$/u.test(textOf(response["status"]) ?? "")) snapshot(response);
    else finish(response, "completed");
  };

  return {
    frame(value, event) {
      const type = textOf(value["type"]) ?? event ?? "";
      const { item, response, output_index: index } = value;
      if (isRecord(response) && response["store"] === false) signatures.forgetIds();
      if (type === "response.output_item.added") {
        loseEntry(item, assembly);
        if (isRecord(item) && clientCall(item) !== undefined) name(items.shown(item, index, "added"), item);
        else if (isRecord(item)) startOf(name(items.shown(item, index, "added"), item), item, assembly);
      } else if (type === "response.output_item.done") {
        loseEntry(item, assembly);
        if (!isRecord(item)) return;
        const shown = name(items.shown(item, index, "done"), item);
        settle(shown, item);
        shown.isDone = true;
        if (shown.slot !== undefined) {
          shown.slot.isOver = true;
          finished.add(shown.slot);
        }
      } else if (type.endsWith(".delta")) delta(type, value);
      else if (/^response\.(?:completed|incomplete|failed|cancelled|done)$/u.test(type)) {
        finish(isRecord(response) ? response : {}, type.slice("response.".length));
      } else if (type.endsWith(".done")) done(type, value);
      else if (value["object"] === "response") whole(value);
      else if (isRecord(response)) assembly.salt ||= textOf(response["id"]) ?? "";
      else if (!type.startsWith("response.") && !isKeepAliveName(type)) {
        assembly.note("frame-unknown", choice);
        if (typeof value["type"] !== "string" || "delta" in value) assembly.doubt(); // otherwise it is an event of a proxy
      }
    },
    isForeign: ({ type }) => typeof type === "string" && !isKnownEvent(type),
    end() {
      for (const { slot } of items.unplaced()) if (slot !== undefined) slot.isOpen = true;
      signatures.apply();
    },
  };
}

const isBad = (status: string): boolean => /^(?:incomplete|failed|cancelled)$/u.test(status);

/** The kind of content of a delta or done event. Undefined for content that is not part of a turn. */
function kindOf(type: string): "call" | "message" | "reasoning" | undefined {
  if (type.includes(".function_call_arguments.") || type.includes(".custom_tool_call_input.")) return "call";
  if (type.includes(".reasoning")) return "reasoning";
  return type.includes(".output_text.") || type.includes(".refusal.") ? "message" : undefined;
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

/** True if a call is fully known and the complete response adds nothing: a delta may be lost, but not a done event. */
function isSettled({ slot, isDone, isElsewhere }: Item, wire: JsonObject): boolean {
  if (slot?.hasText !== true || slot.isTruncated || isElsewhere) return false;
  const args = wire["arguments"];
  return isDone || (isWhole(slot) && typeof args === "string" && !isObjectText(args));
}

/** The arguments in the first event of an item. */
function startOf({ slot }: Item, wire: JsonObject, assembly: Assembly): void {
  const args = wire["arguments"] ?? wire["input"];
  if (slot !== undefined && !slot.hasText && !isEmptyObject(args)) appendArguments(slot, args, assembly);
}

/** Replaces the deltas with the arguments of a done event, unless those are an empty object. */
function replace(slot: Slot, args: unknown, assembly: Assembly): void {
  const text = typeof args === "string" ? args : args === undefined || args === null ? "" : jsonText(args);
  if (text.trim() === "") return;
  const isEmpty = /^\s*\{\s*\}\s*$/u.test(text);
  slot.isOver = true;
  slot.isTruncated &&= isEmpty; // otherwise these are complete
  if (!slot.hasText) assembly.append(slot, text);
  else if (!isEmpty) replaceText(slot, text);
}

/** Keys that every call item has. */
const isUsual: ReadonlySet<string> = new Set(["type", "id", "call_id", "name", "arguments", "input", "status"]);
