import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { hasId, isId } from "../../stream/response-writer.ts";
import type { CallPlaces, ClientTurn, TextDelta } from "../../stream/response-writer.ts";
import { isSoundEnvelope, isTextOrNone } from "./envelope.ts";
import type { Expectations } from "./envelope.ts";

/** Accumulates deltas as the SDKs do, and fails at the first delta that differs from OpenAI's form. */
interface StrictClient {
  readonly take: (chunk: JsonObject, isFirst: boolean) => void;
  /** The client has seen a chunk that was not held. */
  readonly seen: (chunk: JsonObject) => void;
  /** The client has seen the held chunks, with their calls. */
  readonly released: () => void;
  /** False if a chunk ends a choice that has ended, or ends a choice with calls with a different finish reason. */
  readonly canEnd: (chunk: JsonObject) => boolean;
  /** True for text of open choices, if those with calls have ended. */
  readonly isApart: (texts: readonly Pick<TextDelta, "choice">[]) => boolean;
  /** The finish reason of a choice that the client has seen. No call followed it. */
  readonly endOf: (choice: number) => string | undefined;
  readonly turns: () => readonly ClientTurn[] | undefined;
  readonly hasTripped: () => boolean;
  /** The number of calls of each choice. */
  readonly counts: () => readonly number[];
}

interface PlainCall {
  readonly id: string;
  readonly name: string;
  arguments: string;
  /** True if the arguments are the input of a custom tool, which is text. */
  readonly isCustom: boolean;
}

/** The calls of a turn. */
interface PlainCalls {
  readonly calls: PlainCall[];
  readonly places: CallPlaces;
}

export const noCalls = (): PlainCalls => ({ calls: [], places: new Map() });

interface Plain extends PlainCalls {
  isEnded: boolean;
  /** The finish reason, if it was held. */
  end: string | undefined;
}

/** Creates a client that has already seen a number of calls of each choice. */
export function createStrictClient(expectations: Expectations, seen: readonly number[] = []): StrictClient {
  const turns: Plain[] = seen.map((count) => ({
    ...noCalls(),
    calls: Array.from({ length: count }, anyCall),
    isEnded: false,
    end: undefined,
  }));
  const ends = new Map<unknown, string>();
  let hasTripped = false;

  const turnAt = (index: unknown): Plain => (turns[Number(index)] ??= { ...noCalls(), isEnded: false, end: undefined });

  const canEndWith = (finish: unknown, { calls }: Plain): boolean =>
    isEndOf(finish, calls, expectations) || (calls.length === 0 && cuts.has(finish));

  /** True for a message that repeats the calls and the finish reason of its choice. */
  const isAgain = ({ index, delta, message, finish_reason: finish }: JsonObject): boolean => {
    const turn = turns[Number(index)];
    if (turn?.isEnded !== true || delta !== undefined || !isRecord(message)) return false;
    const again = listOf(message["tool_calls"]);
    const isSame = ({ id, name, arguments: text }: PlainCall, i: number): boolean => {
      const called = again[i]?.["function"];
      return again[i]?.["id"] === id && isRecord(called) && called["name"] === name && called["arguments"] === text;
    };
    return finish === (turn.end ?? ends.get(index)) && again.length === turn.calls.length && turn.calls.every(isSame);
  };

  const takeAll = (chunk: JsonObject, isFirst: boolean): boolean => {
    if (!isSoundChunk(chunk, isFirst, expectations)) return false;
    for (const choice of listOf(chunk["choices"])) {
      const { index, delta, finish_reason: finish } = choice;
      if (!isRecord(delta) && !isRemark(choice) && !isAgain(choice)) return false;
      if (!isRecord(delta)) continue; // it is valid and contains nothing new
      const turn = turnAt(index);
      const deltas = delta["tool_calls"] ?? [];
      if (!Array.isArray(deltas) || (turn.isEnded && (saysMore(delta) || typeof finish === "string"))) return false;
      const before = turn.calls.length;
      for (const each of deltas) {
        const count = turn.calls.length;
        const last = addDelta(each, turn, expectations);
        if (last === undefined) return false;
        if (turn.calls.length === count && turn.calls.indexOf(last, before) >= 0) return false; // LangChain would read two calls
      }
      if (isRecord(delta["function_call"])) {
        const last = addLegacy(delta["function_call"], turn.calls);
        if (last === undefined) return false;
      }
      if (typeof finish !== "string") continue;
      turn.isEnded = canEndWith(finish, turn);
      turn.end = finish;
      if (!turn.isEnded) return false;
    }
    return true;
  };

  return {
    take(chunk, isFirst) {
      if (!hasTripped) hasTripped = !takeAll(chunk, isFirst);
    },
    seen({ choices }) {
      for (const { index, delta, finish_reason: finish } of listOf(choices)) {
        const turn = turnAt(index);
        const isCalled = isRecord(delta) && (delta["tool_calls"] ?? delta["function_call"]) !== undefined;
        if (isCalled && !expectations.areReasonsJoined) ends.delete(index);
        if (typeof finish !== "string") continue;
        ends.set(index, finish);
        turn.isEnded ||= canEndWith(finish, turn);
      }
    },
    released() {
      if (!expectations.areReasonsJoined) ends.clear();
      turns.forEach(({ end }, index) => end !== undefined && ends.set(index, end));
    },
    isApart: (texts) =>
      texts.every(({ choice }) => turns[choice]?.isEnded !== true) &&
      turns.every(({ calls, isEnded }) => isEnded || calls.length === 0),
    canEnd: ({ choices }) =>
      listOf(choices).every((choice) => {
        const { index, finish_reason: finish } = choice;
        if (typeof finish !== "string" || isAgain(choice)) return true;
        const calls = turns[Number(index)]?.calls ?? [];
        return !ends.has(index) && (calls.length === 0 || isEndOf(finish, calls, expectations));
      }),
    endOf: (choice) => ends.get(choice),
    hasTripped: () => hasTripped,
    counts: () => turns.map(({ calls }) => calls.length),
    turns() {
      // Missing choices leave holes in the array.
      if (hasTripped || Array.from(turns).some((turn) => turn === undefined)) return undefined;
      return turns.map(({ calls, isEnded }) => ({ calls: calls.map((call) => plainCall(call, isEnded)), isEnded }));
    },
  };
}

const anyCall = (): PlainCall => ({ id: " ", name: "", arguments: "", isCustom: false });

/** Without an end event, only the end of the turn ends the input of a custom tool. */
export function plainCall(
  { id, name, arguments: text, isCustom }: PlainCall,
  isEnded: boolean,
): ClientTurn["calls"][number] {
  return { id, name, arguments: isCustom ? (isEnded ? JSON.stringify({ input: text }) : "") : text };
}

/** True for a finish reason that matches a turn with these calls. */
export function isEndOf(finish: unknown, calls: readonly PlainCall[], { isForced, isLegacy }: Expectations): boolean {
  if (calls.length === 0) return finish === "stop";
  if (isLegacy !== false && calls.every(({ id }) => id === ""))
    return finish === "function_call" || (isForced && finish === "stop");
  return finish === "tool_calls" || (isForced && finish === "stop");
}

/** The call that a delta starts or continues; undefined if a client would fail on it. */
export function addDelta(
  wire: unknown,
  { calls, places }: PlainCalls,
  { isMistral }: Expectations,
): PlainCall | undefined {
  if (!isRecord(wire)) return undefined;
  const isCustom = isRecord(wire["custom"]) && wire["function"] === undefined;
  const called = isCustom ? wire["custom"] : wire["function"];
  const { index, id, type = isMistral ? "function" : undefined } = wire;
  if (!isIndex(index) || !isRecord(called)) return undefined;
  const { name } = called;
  const text = isCustom ? called["input"] : called["arguments"];
  const known = calls[index];
  if (typeof text !== "string") return undefined; // clients append missing values as "undefined"
  if (known === undefined) {
    if (index !== calls.length || type !== (isCustom ? "custom" : "function")) return undefined;
    if (typeof name !== "string" || name.trim() === "" || !isId(id) || hasId(calls, places, id)) return undefined;
    const call = { id, name, arguments: text, isCustom };
    places.set(id, calls.length);
    calls.push(call);
    return call;
  }
  if (known.isCustom !== isCustom) return undefined;
  if ((id ?? known.id) !== known.id || (name !== undefined && name !== null)) return undefined;
  known.arguments += text;
  return known;
}

/** Adds the delta of a legacy `function_call`, which has no id. */
export function addLegacy({ name, arguments: text }: JsonObject, calls: PlainCall[]): PlainCall | undefined {
  const [known] = calls;
  if (typeof text !== "string") return undefined;
  if (known === undefined) {
    if (typeof name !== "string" || name.trim() === "") return undefined;
    const call = { id: "", name, arguments: text, isCustom: false };
    calls.push(call);
    return call;
  }
  if (known.id !== "" || (name !== undefined && name !== null)) return undefined;
  known.arguments += text;
  return known;
}

/** True for a chunk that every client reads completely. */
export function isSoundChunk(chunk: JsonObject, isFirst: boolean, expectations: Expectations): boolean {
  const { choices, error } = chunk;
  if (!Array.isArray(choices) || !isSoundEnvelope(chunk)) return false;
  if (isFirst && !choices.every(hasRole)) return false;
  if (expectations.isSingle && choices.length > 1) return false;
  return error === undefined && choices.every((choice) => isSoundChoice(choice, expectations));
}

const hasRole = (choice: unknown): boolean =>
  isRecord(choice) && (isRemark(choice) || (isRecord(choice["delta"]) && choice["delta"]["role"] === "assistant"));

/** True for a choice without a delta, which only has metadata. Azure's filter sends it after the text. */
const isRemark = ({ delta, message, finish_reason: finish }: JsonObject): boolean =>
  delta === undefined && message === undefined && (finish ?? null) === null;

function isSoundChoice(
  choice: unknown,
  { isSingle, isLegacy, isMistral, isMinimax, isMessageRead }: Expectations,
): boolean {
  if (!isRecord(choice) || !isIndex(choice["index"]) || (isSingle && choice["index"] !== 0)) return false;
  const { delta, finish_reason: finish } = choice;
  if (!isRecord(delta)) return isRemark(choice) || (isMinimax && isWholeMessage(choice, isLegacy));
  if (isMessageRead && choice["message"] !== undefined) return false;
  if (finish !== undefined && finish !== null && !isFinish(finish, isLegacy)) return false;
  if (isLegacy === false && (delta["function_call"] ?? null) !== null) return false;
  if (!Array.isArray(delta["tool_calls"] ?? []) || !isRecord(choice["logprobs"] ?? {})) return false;
  if ((delta["role"] ?? "assistant") !== "assistant") return false; // LangChain would treat it as another role
  return textKeys.every(
    (key) => isTextOrNone(delta[key]) || (isMistral && key === "content" && Array.isArray(delta[key])),
  );
}

/** True for a choice with a complete message and a finish reason. */
const isWholeMessage = (
  { delta, message, finish_reason: finish }: JsonObject,
  isLegacy: Expectations["isLegacy"],
): boolean =>
  delta === undefined &&
  isRecord(message) &&
  isFinish(finish, isLegacy) &&
  message["role"] === "assistant" &&
  Array.isArray(message["tool_calls"] ?? []) &&
  textKeys.every((key) => isTextOrNone(message[key]));

const textKeys = ["content", "reasoning_content", "reasoning", "refusal"];
const finishes: ReadonlySet<unknown> = new Set(["stop", "length", "tool_calls", "content_filter"]);
/** Finish reasons that may also end text: it is truncated, and every client reports it. */
const cuts: ReadonlySet<unknown> = new Set(["length", "content_filter"]);
const isFinish = (finish: unknown, isLegacy: Expectations["isLegacy"]): boolean =>
  finishes.has(finish) || (isLegacy !== false && finish === "function_call");

/** True for a delta with content. */
const saysMore = (delta: JsonObject): boolean =>
  ["content", "reasoning_content", "reasoning", "refusal", "function_call"].some((key) => delta[key]) ||
  listOf(delta["tool_calls"]).length > 0;

const isIndex = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

export const listOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/** A delta as a client reads it. */
interface DeltaText {
  readonly type: "text" | "reasoning";
  readonly text: unknown;
}

/** The text that clients read from a valid delta, in reading order. */
export function deltaTexts(delta: JsonObject, { isMistral }: Expectations): readonly DeltaText[] {
  const { content, refusal, reasoning_content: thought, reasoning, reasoning_details: details } = delta;
  const texts: DeltaText[] = [];
  if (thought || reasoning) texts.push({ type: "reasoning", text: thought || reasoning });
  else if (Array.isArray(details)) texts.push(...details.map(detailOf).filter(hasText));
  if (isMistral && Array.isArray(content)) texts.push(...content.flatMap(chunksOf).filter(hasText));
  else if (content) texts.push({ type: "text", text: content });
  if (refusal) texts.push({ type: "text", text: refusal });
  return texts;
}

const hasText = ({ text }: DeltaText): boolean => typeof text === "string" && text !== "";

/** OpenRouter's list, also sent by MiniMax and gateways. Clients that show reasoning read it. */
const detailOf = (detail: unknown): DeltaText => ({
  type: "reasoning",
  text: isRecord(detail) ? (detail["text"] ?? detail["summary"]) : undefined,
});

/** A part of Mistral's content: text, or a list of reasoning parts. */
function chunksOf(part: unknown): readonly DeltaText[] {
  if (!isRecord(part)) return [];
  const { type, text, thinking } = part;
  if (type !== "thinking") return [{ type: "text", text }];
  const inner: readonly unknown[] = Array.isArray(thinking) ? thinking : [thinking];
  return inner.map((each) => ({ type: "reasoning", text: isRecord(each) ? each["text"] : each }));
}
