import { isRecord, UndangleError } from "#core";
import type { AssembledTurn, JsonObject } from "#core";
import type { ModelPart, ModelStream } from "#model";

import { noUsage } from "../ledger/ledger.ts";
import type { Usage } from "../ledger/ledger.ts";

/** Validates what a model returned as its stream. Custom models may return anything. */
export function checkStream(stream: ModelStream, model: string): ModelStream {
  const given: unknown = stream;
  const isStream = typeof given === "object" && given !== null && Symbol.asyncIterator in given && "turn" in given;
  if (isStream) return stream;
  const message = "what its stream() gave is no stream of a model: it has to be async iterable, with a method turn().";
  throw new UndangleError("model/failed", { model, message });
}

/** Validates a part of a stream. The error names what is missing. */
export function checkPart(part: ModelPart, model: string): ModelPart {
  const problem = partProblem(part);
  if (problem === undefined) return part;
  throw new UndangleError("model/failed", { model, message: `${problem}.` });
}

/** What is wrong with a part of a stream from a custom model. */
export function partProblem(part: unknown): string | undefined {
  if (!isRecord(part) || typeof part["type"] !== "string") {
    const given = isRecord(part) ? "an object without a `type`" : Array.isArray(part) ? "a list" : String(part);
    return `its stream yielded ${given}, and not a part of a stream`;
  }
  const odd = needed[part["type"]]?.find((key) => !fits[key].isFit(part[key]));
  return odd === undefined
    ? undefined
    : `its stream yielded a \`${part["type"]}\` in which \`${odd}\` is ${fits[odd].words}`;
}

type PartKey = "text" | "name" | "call" | "reason" | "message" | "anomaly";

/** The required fields of the parts of a stream. */
const needed: Readonly<Record<string, readonly PartKey[]>> = {
  "text-delta": ["text"],
  "reasoning-delta": ["text"],
  "call-start": ["call", "name"],
  "call-delta": ["call", "text"],
  "call-end": ["call"],
  anomaly: ["anomaly"],
  discarded: ["reason"],
  warning: ["message"],
};

const isText = (value: unknown): boolean => typeof value === "string";
const text: Fit = { isFit: isText, words: "not a text" };

interface Fit {
  readonly isFit: (value: unknown) => boolean;
  /** Describes a value of the wrong type. */
  readonly words: string;
}

const fits: Readonly<Record<PartKey, Fit>> = {
  text,
  name: text,
  reason: text,
  message: text,
  call: { isFit: (value) => Number.isInteger(value) && Number(value) >= 0, words: "not the number of a call" },
  anomaly: { isFit: (value) => isRecord(value) && isText(value["kind"]), words: "not an anomaly" },
};

/** Validates an assembled turn. A custom model may omit fields; the error names them. */
export function checkTurn(turn: AssembledTurn | undefined, model: string): AssembledTurn | undefined {
  if (turn === undefined) return undefined;
  const problem = problemIn(turn);
  if (problem === undefined) return turn;
  const message = `what its turn() gave is no turn of a model: ${problem}.`;
  throw new UndangleError("model/failed", { model, message });
}

const finishes: readonly unknown[] = ["stop", "tool_calls", "length", "content_filter", "error"];
const states: readonly unknown[] = ["ready", "truncated", "malformed", "repaired"];

function problemIn(turn: unknown): string | undefined {
  if (!isRecord(turn)) return "it is no object";
  const { finish, error, calls, parts, complete } = turn;
  if (finish === null || error !== undefined) return undefined; // the turn is incomplete and is discarded
  if (!finishes.includes(finish)) return `\`finish\` is none of ${finishes.join(", ")}`;
  if (typeof complete !== "boolean") return "`complete` is neither true nor false";
  if (!Array.isArray(calls)) return "`calls` is no list";
  if (!Array.isArray(parts)) return "`parts` is no list";
  return firstOf(calls, "calls", problemInCall) ?? firstOf(parts, "parts", problemInPart);
}

function firstOf(
  list: readonly unknown[],
  name: string,
  problemInOne: (one: unknown) => string | undefined,
): string | undefined {
  for (let i = 0; i < list.length; i++) {
    const problem = problemInOne(list[i]);
    if (problem !== undefined) return `\`${name}[${i}]${problem}`;
  }
  return undefined;
}

function problemInCall(call: unknown): string | undefined {
  if (!isRecord(call)) return "` is no object";
  if (typeof call["id"] !== "string") return ".id` is no text";
  if (typeof call["name"] !== "string") return ".name` is no text";
  if (typeof call["raw"] !== "string") return ".raw` is no text";
  if (!states.includes(call["state"])) return `.state\` is none of ${states.join(", ")}`;
  if (call["arguments"] !== null && !isRecord(call["arguments"])) return ".arguments` is neither an object nor null";
  return undefined;
}

function problemInPart(part: unknown): string | undefined {
  if (!isRecord(part)) return "` is no object";
  switch (part["type"]) {
    case "text":
    case "reasoning":
      return typeof part["text"] === "string" ? undefined : ".text` is no text";
    case "call":
      return isRecord(part["call"]) ? undefined : ".call` is no object";
    case "media":
      return isRecord(part["source"]) ? undefined : ".source` is no object";
    default:
      return ".type` is none of text, reasoning, media, call";
  }
}

/**
 * Reads token counts by the names that providers use. Anthropic reports cache reads and writes separately from input,
 * and Gemini reports thinking separately from output. Both are included here.
 */
export function usageOf(usage: JsonObject | undefined): Usage {
  if (usage === undefined) return noUsage;
  const beside = first(usage, ["cache_read_input_tokens", "cacheReadInputTokens"]);
  const written = first(usage, ["cache_creation_input_tokens", "cacheWriteInputTokens"]);
  const inputTokens = first(usage, inputNames) + beside + written;
  const outputTokens = first(usage, outputNames) + first(usage, ["thoughtsTokenCount"]);
  const counted = inputTokens + outputTokens;
  const totalTokens = Math.max(first(usage, ["total_tokens", "totalTokenCount", "totalTokens"]), counted);
  return { inputTokens, outputTokens, totalTokens, cachedTokens: beside || cachedIn(usage) };
}

const inputNames = ["input_tokens", "prompt_tokens", "promptTokenCount", "inputTokens", "prompt_eval_count"];
const outputNames = ["output_tokens", "completion_tokens", "candidatesTokenCount", "outputTokens", "eval_count"];

/** The input tokens that came from a cache. */
function cachedIn(usage: JsonObject): number {
  for (const name of ["prompt_tokens_details", "input_tokens_details"]) {
    const details = usage[name];
    const cached = isRecord(details) ? first(details, ["cached_tokens"]) : 0;
    if (cached > 0) return cached;
  }
  return first(usage, ["cachedContentTokenCount", "prompt_cache_hit_tokens", "cachedInputTokens", "cached_tokens"]);
}

function first(usage: JsonObject, names: readonly string[]): number {
  for (const name of names) {
    const value = usage[name];
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  }
  return 0;
}
