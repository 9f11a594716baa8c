import { isRecord } from "#core";
import type { AssembledCall, AssembledTurn, JsonObject } from "#core";

import { argumentsText } from "../../stream/response-writer.ts";
import type { LiveCall, Frame } from "../../stream/response-writer.ts";
import { completedEvent, introduced, itemPrefixes, retarget } from "./add-missing-fields.ts";
import { copyOf, fits, isBeginning, partsText, show } from "./client-view.ts";
import type { ClientItem } from "./client-items.ts";
import type { ClientView } from "./client-view.ts";
import { isCallItem, isCallType, textIn } from "../stream/frames.ts";

/** Events that replace others, consistent with those that the client has received. */
export interface Draft {
  readonly frames: readonly Frame[];
  /** Adds an event for the client's items, or only its content if it matches no item. */
  readonly repair: (value: JsonObject, texts?: readonly TextPart[]) => void;
  readonly speak: (texts: readonly TextPart[]) => void;
  /** Adds the part of a text that the client has not received. */
  readonly speakRest: (turn: Pick<AssembledTurn, "text" | "reasoning">) => void;
  /** Adds items that only the complete response has: encrypted reasoning and server tools. */
  readonly adopt: (output: unknown) => void;
  /** Adds a complete call; other keys of its item are kept. */
  readonly call: (call: AssembledCall, item: JsonObject) => void;
  /** Starts a call, which `more` continues. */
  readonly begin: (call: Pick<LiveCall, "id" | "name" | "isCustom" | "extras">) => void;
  readonly more: (callId: string, text: string) => void;
  /** Ends all items and the response. */
  readonly end: (response: JsonObject, finish: AssembledTurn["finish"]) => void;
}

export interface TextPart {
  readonly type: "text" | "reasoning";
  readonly text: string;
}

interface Client {
  /** The client's state. */
  readonly view: ClientView;
  /** The client's index of items that have another index on the server. */
  readonly places: Map<unknown, number>;
  /** The requested model. */
  readonly model: unknown;
}

export function createDraft({ view: given, places, model }: Client): Draft {
  const view = copyOf(given);
  const frames: Frame[] = [];

  const push = (type: string, rest: JsonObject): void => {
    if (view.response === undefined && type !== "response.created") {
      const known = isRecord(rest["response"]) ? rest["response"] : { object: "response" };
      push("response.created", { response: introduce({ ...known, status: "in_progress", output: [] }) });
    }
    const { sequence_number: wished } = rest;
    const isNumbered = view.last !== undefined || typeof wished === "number";
    const next = Math.max(Number(wished ?? 0), (view.last ?? -1) + 1);
    const value = { type, ...rest, ...(isNumbered && { sequence_number: next }) };
    show(value, view);
    frames.push({ value, event: type });
  };

  const introduce = (response: JsonObject): JsonObject => introduced(response, { model, ...view.response });

  const add = (type: string, rest: JsonObject): ClientItem => {
    const id = freshId(rest["id"], `${itemPrefixes[type] ?? "item"}_${view.items.size()}`);
    push("response.output_item.added", { output_index: view.items.size(), item: { type, ...rest, id } });
    return view.items.at(view.items.size() - 1) as ClientItem; // it was just added
  };

  const freshId = (wished: unknown, other: string): string => {
    const isFree = (id: string): boolean => view.items.withId(id) === undefined;
    if (typeof wished === "string" && wished.trim() !== "" && isFree(wished)) return wished;
    return isFree(other) ? other : freshId(undefined, `${other}_`);
  };

  const placeOf = (item: ClientItem): JsonObject => ({ item_id: item.id, output_index: item.index });

  const speak = (texts: readonly TextPart[]): void => {
    for (const { type, text } of texts) {
      const { item: itemType, rest, list, part, added, delta } = words[type];
      const item = view.items.openOf(itemType) ?? add(itemType, rest);
      const size = item.parts.count(list);
      let last = size - 1;
      while (last >= 0 && item.parts.get(`${list}:${last}`)?.type !== part.type) last--;
      const place = { ...placeOf(item), [`${list}_index`]: last < 0 ? size : last };
      if (last < 0) push(added, { ...place, part });
      push(delta, { ...place, delta: text });
    }
  };

  /** Ends a call with the arguments that the client has received. */
  const closeCall = (item: ClientItem): void => {
    const isCustom = item.type === "custom_tool_call";
    const [key, name] = isCustom ? ["input", "custom_tool_call_input"] : ["arguments", "function_call_arguments"];
    const text = { [key]: item.text };
    push(`response.${name}.done`, { ...placeOf(item), ...text });
    const done = { ...item.wire, ...text, status: "completed" };
    push("response.output_item.done", { output_index: item.index, item: done });
  };

  const close = (item: ClientItem): void => {
    if (isCallType(item.type)) {
      closeCall(item);
      return;
    }
    const lists: Record<string, JsonObject[]> = {};
    for (const [key, { type, text, isDone }] of item.parts) {
      const [list = "", index] = key.split(":");
      const place = { ...placeOf(item), [`${list}_index`]: Number(index) };
      const emitted = { [type === "refusal" ? "refusal" : "text"]: text };
      const part = { type, ...emitted, ...(type === "output_text" && { annotations: [] }) };
      (lists[list] ??= []).push(part);
      if (isDone) continue;
      push(`response.${type === "summary_text" ? "reasoning_summary_text" : type}.done`, { ...place, ...emitted });
      push(`response.${list === "summary" ? "reasoning_summary_part" : "content_part"}.done`, { ...place, part });
    }
    const status = "status" in item.wire ? { status: "completed" } : {};
    push("response.output_item.done", {
      output_index: item.index,
      item: { ...item.wire, ...status, ...lists },
    });
  };

  return {
    frames,
    speak,
    repair(value, texts) {
      const placed = value["type"] === "response.created" ? value : completedEvent(retarget(value, view, places));
      const { response } = placed;
      const isFirst = isBeginning.test(String(value["type"])) && isRecord(response);
      const repaired = isFirst ? { ...placed, response: introduce(response) } : placed;
      const { type, ...rest } = repaired;
      const own = textIn(value);
      const isTrue = texts === undefined || texts.map(({ text }) => text).join("") === (own?.text ?? "");
      const isFit = (): boolean => typeof type === "string" && fits(repaired, view);
      if (isTrue && isFit()) push(String(type), rest);
      else {
        speak(texts ?? (own === undefined ? [] : [own]));
        if (String(type).endsWith(".done") && isFit()) push(String(type), rest);
      }
    },
    speakRest({ text, reasoning }) {
      for (const [type, whole] of [
        ["reasoning", reasoning],
        ["text", text],
      ] as const) {
        const items = [...view.items].filter((item) => item.type === words[type].item);
        const known = items.map(partsText).join("");
        if (whole.length > known.length && whole.startsWith(known)) speak([{ type, text: whole.slice(known.length) }]);
      }
    },
    adopt(output) {
      const known = new Set(["message", ...[...view.items].map(({ type }) => type)]);
      for (const wire of Array.isArray(output) ? output.filter(isRecord) : []) {
        const { type, ...rest } = wire;
        if (typeof type !== "string" || isCallItem(wire) || known.has(type)) continue;
        add(type, type === "reasoning" ? { ...rest, summary: [] } : rest);
      }
    },
    call(call, { id, arguments: _arguments, input: _input, ...kept }) {
      const isCustom = call.extras?.["type"] === "custom";
      const [type, key, name] = isCustom
        ? (["custom_tool_call", "input", "custom_tool_call_input"] as const)
        : (["function_call", "arguments", "function_call_arguments"] as const);
      const text = isCustom ? call.raw : argumentsText(call);
      const rest = {
        ...call.extras,
        ...kept,
        type,
        call_id: call.id,
        name: call.name,
        [key]: "",
        status: "in_progress",
      };
      const item = add(type, { ...rest, id: freshId(id, `${itemPrefixes[type]}_${call.id}`) });
      const place = placeOf(item);
      if (text !== "") push(`response.${name}.delta`, { ...place, delta: text });
      push(`response.${name}.done`, { ...place, [key]: text });
      const done = { ...item.wire, [key]: text, status: "completed" };
      push("response.output_item.done", { output_index: place["output_index"], item: done });
    },
    begin({ id, name, isCustom, extras }) {
      const [type, key] = isCustom
        ? (["custom_tool_call", "input"] as const)
        : (["function_call", "arguments"] as const);
      const rest = { ...extras, type, call_id: id, name, [key]: "", status: "in_progress" };
      add(type, { ...rest, id: freshId(undefined, `${itemPrefixes[type]}_${id}`) });
    },
    more(callId, text) {
      const item = view.items.callOf(callId);
      if (item === undefined || item.isDone) return;
      const name = item.type === "custom_tool_call" ? "custom_tool_call_input" : "function_call_arguments";
      push(`response.${name}.delta`, { ...placeOf(item), delta: text });
    },
    end(response, finish) {
      for (const item of view.items) if (!item.isDone) close(item);
      const output = [...view.items].map(({ wire }) => wire);
      const status = finish === "length" || finish === "content_filter" ? "incomplete" : "completed";
      const id = view.response === undefined ? {} : { id: view.response["id"] }; // clients use the first one
      push(`response.${status}`, { response: { ...view.response, ...response, ...id, status, output } });
    },
  };
}

/** The event types of text and reasoning. */
const words = {
  text: {
    item: "message",
    rest: { status: "in_progress", role: "assistant", content: [] },
    list: "content",
    part: { type: "output_text", text: "", annotations: [] },
    added: "response.content_part.added",
    delta: "response.output_text.delta",
  },
  reasoning: {
    item: "reasoning",
    rest: { summary: [] },
    list: "summary",
    part: { type: "summary_text", text: "" },
    added: "response.reasoning_summary_part.added",
    delta: "response.reasoning_summary_text.delta",
  },
} as const;
