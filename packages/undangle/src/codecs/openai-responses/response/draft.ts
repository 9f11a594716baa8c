import { isRecord } from "#core";
import type { AssembledCall, AssembledTurn, JsonObject } from "#core";

import { argumentsText } from "../../stream/response-writer.ts";
import type { LiveCall, Frame } from "../../stream/response-writer.ts";
import { furnishedEvent, introduced } from "./add-missing-fields.ts";
import { copyOf, fits, isBeginning, partsText, show } from "./client-view.ts";
import type { ShownItem } from "./client-items.ts";
import type { Shown } from "./client-view.ts";
import { itemPrefixes, retarget } from "./renumber-items.ts";
import { isCallItem, isCallType, saidBy } from "../stream/frames.ts";

/** Events that replace others, consistent with those that the client has received. */
export interface Draft {
  readonly frames: readonly Frame[];
  /** Adds an event for the client's items, or only its content if it matches no item. */
  readonly mend: (value: JsonObject, said?: readonly Piece[]) => void;
  readonly speak: (said: readonly Piece[]) => void;
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

export interface Piece {
  readonly type: "text" | "reasoning";
  readonly text: string;
}

interface Client {
  /** The client's state. */
  readonly shown: Shown;
  /** The client's index of items that have another index on the server. */
  readonly places: Map<unknown, number>;
  /** The requested model. */
  readonly model: unknown;
}

export function createDraft({ shown: given, places, model }: Client): Draft {
  const shown = copyOf(given);
  const frames: Frame[] = [];

  const push = (type: string, rest: JsonObject): void => {
    if (shown.response === undefined && type !== "response.created") {
      const known = isRecord(rest["response"]) ? rest["response"] : { object: "response" };
      push("response.created", { response: introduce({ ...known, status: "in_progress", output: [] }) });
    }
    const { sequence_number: wished } = rest;
    const isNumbered = shown.last !== undefined || typeof wished === "number";
    const next = Math.max(Number(wished ?? 0), (shown.last ?? -1) + 1);
    const value = { type, ...rest, ...(isNumbered && { sequence_number: next }) };
    show(value, shown);
    frames.push({ value, event: type });
  };

  const introduce = (response: JsonObject): JsonObject => introduced(response, { model, ...shown.response });

  const add = (type: string, rest: JsonObject): ShownItem => {
    const id = freshId(rest["id"], `${itemPrefixes[type] ?? "item"}_${shown.items.size()}`);
    push("response.output_item.added", { output_index: shown.items.size(), item: { type, ...rest, id } });
    return shown.items.at(shown.items.size() - 1) as ShownItem; // it was just added
  };

  const freshId = (wished: unknown, other: string): string => {
    const isFree = (id: string): boolean => shown.items.withId(id) === undefined;
    if (typeof wished === "string" && wished.trim() !== "" && isFree(wished)) return wished;
    return isFree(other) ? other : freshId(undefined, `${other}_`);
  };

  const placeOf = (item: ShownItem): JsonObject => ({ item_id: item.id, output_index: item.index });

  const speak = (said: readonly Piece[]): void => {
    for (const { type, text } of said) {
      const { item: itemType, rest, list, part, added, delta } = words[type];
      const item = shown.items.openOf(itemType) ?? add(itemType, rest);
      const size = item.parts.count(list);
      let last = size - 1;
      while (last >= 0 && item.parts.get(`${list}:${last}`)?.type !== part.type) last--;
      const place = { ...placeOf(item), [`${list}_index`]: last < 0 ? size : last };
      if (last < 0) push(added, { ...place, part });
      push(delta, { ...place, delta: text });
    }
  };

  /** Ends a call with the arguments that the client has received. */
  const closeCall = (item: ShownItem): void => {
    const isCustom = item.type === "custom_tool_call";
    const [key, name] = isCustom ? ["input", "custom_tool_call_input"] : ["arguments", "function_call_arguments"];
    const text = { [key]: item.text };
    push(`response.${name}.done`, { ...placeOf(item), ...text });
    const done = { ...item.wire, ...text, status: "completed" };
    push("response.output_item.done", { output_index: item.index, item: done });
  };

  const close = (item: ShownItem): void => {
    if (isCallType(item.type)) {
      closeCall(item);
      return;
    }
    const lists: Record<string, JsonObject[]> = {};
    for (const [key, { type, text, isDone }] of item.parts) {
      const [list = "", index] = key.split(":");
      const place = { ...placeOf(item), [`${list}_index`]: Number(index) };
      const told = { [type === "refusal" ? "refusal" : "text"]: text };
      const part = { type, ...told, ...(type === "output_text" && { annotations: [] }) };
      (lists[list] ??= []).push(part);
      if (isDone) continue;
      push(`response.${type === "summary_text" ? "reasoning_summary_text" : type}.done`, { ...place, ...told });
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
    mend(value, said) {
      const placed = value["type"] === "response.created" ? value : furnishedEvent(retarget(value, shown, places));
      const { response } = placed;
      const isFirst = isBeginning.test(String(value["type"])) && isRecord(response);
      const mended = isFirst ? { ...placed, response: introduce(response) } : placed;
      const { type, ...rest } = mended;
      const own = saidBy(value);
      const isTrue = said === undefined || said.map(({ text }) => text).join("") === (own?.text ?? "");
      const isFit = (): boolean => typeof type === "string" && fits(mended, shown);
      if (isTrue && isFit()) push(String(type), rest);
      else {
        speak(said ?? (own === undefined ? [] : [own]));
        if (String(type).endsWith(".done") && isFit()) push(String(type), rest);
      }
    },
    speakRest({ text, reasoning }) {
      for (const [type, whole] of [
        ["reasoning", reasoning],
        ["text", text],
      ] as const) {
        const items = [...shown.items].filter((item) => item.type === words[type].item);
        const known = items.map(partsText).join("");
        if (whole.length > known.length && whole.startsWith(known)) speak([{ type, text: whole.slice(known.length) }]);
      }
    },
    adopt(output) {
      const known = new Set(["message", ...[...shown.items].map(({ type }) => type)]);
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
      const item = shown.items.callOf(callId);
      if (item === undefined || item.isDone) return;
      const name = item.type === "custom_tool_call" ? "custom_tool_call_input" : "function_call_arguments";
      push(`response.${name}.delta`, { ...placeOf(item), delta: text });
    },
    end(response, finish) {
      for (const item of shown.items) if (!item.isDone) close(item);
      const output = [...shown.items].map(({ wire }) => wire);
      const status = finish === "length" || finish === "content_filter" ? "incomplete" : "completed";
      const id = shown.response === undefined ? {} : { id: shown.response["id"] }; // clients use the first one
      push(`response.${status}`, { response: { ...shown.response, ...response, ...id, status, output } });
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
