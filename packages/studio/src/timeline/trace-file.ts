import type { Trace, TraceMark, TraceSpan } from "undangle/client";

import { isRecord } from "../parts/json-record.ts";
import type { JsonRecord } from "../parts/json-record.ts";

/** Why a file is not a trace: what is wrong, and where. */
export class NotATrace extends Error {}

/** The file is an exported thread, which can be imported. */
export class IsAThread extends Error {
  readonly thread: unknown;

  constructor(thread: unknown) {
    super();
    this.thread = thread;
  }
}

/** Reads an exported trace. Throws `IsAThread` for an exported thread, and `NotATrace` for any other text. */
export function readTrace(text: string): Trace {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new NotATrace("JSON", { cause });
  }
  if (!isRecord(value)) throw new NotATrace("{}");
  if (typeof value["undangle"] === "number" && Array.isArray(value["entries"])) throw new IsAThread(value);
  if (typeof value["thread_id"] !== "string") throw new NotATrace("thread_id");
  return {
    thread_id: value["thread_id"],
    at: timeOf(value, "at"),
    spans: listOf(value, "spans", isSpan),
    marks: listOf(value, "marks", isMark),
    totals: totalsOf(value["totals"]),
  };
}

function timeOf(value: JsonRecord, name: string): number {
  const time = value[name];
  if (!isTime(time)) throw new NotATrace(name);
  return time;
}

function listOf<T>(value: JsonRecord, name: string, isOne: (each: unknown) => each is T): readonly T[] {
  const list = value[name];
  if (!Array.isArray(list)) throw new NotATrace(name);
  return list.map((each: unknown, i) => {
    if (!isOne(each)) throw new NotATrace(`${name}[${i}]`);
    return each;
  });
}

const types: ReadonlySet<unknown> = new Set<TraceSpan["type"]>(["run", "model", "call", "wait"]);

const isOptional = (value: unknown, type: "string" | "number"): boolean => value === undefined || typeof value === type;

const isPath = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every((id) => typeof id === "string"));

/** Times are numbers of the clock; a file with other values would draw nothing. */
const isTime = (value: unknown): value is number => typeof value === "number" && Math.abs(value) <= 8.64e15;

const isUsage = (value: unknown): boolean =>
  isRecord(value) &&
  ["inputTokens", "outputTokens", "totalTokens", "cachedTokens"].every((name) => typeof value[name] === "number");

const isDecision = (value: unknown): boolean =>
  isRecord(value) && typeof value["type"] === "string" && isTime(value["at"]);

const isSpan = (value: unknown): value is TraceSpan =>
  isRecord(value) &&
  typeof value["id"] === "string" &&
  types.has(value["type"]) &&
  typeof value["name"] === "string" &&
  typeof value["status"] === "string" &&
  isTime(value["start"]) &&
  (value["end"] === null || isTime(value["end"])) &&
  ["parent", "call_id", "mode", "purpose", "agent", "error"].every((name) => isOptional(value[name], "string")) &&
  ["entry", "cost"].every((name) => isOptional(value[name], "number")) &&
  isPath(value["path"]) &&
  (value["tokens"] === undefined || isUsage(value["tokens"])) &&
  (value["decision"] === undefined || isDecision(value["decision"]));

const isMark = (value: unknown): value is TraceMark =>
  isRecord(value) &&
  isTime(value["at"]) &&
  (value["type"] === "repair" || value["type"] === "warning") &&
  typeof value["message"] === "string" &&
  ["rule", "source"].every((name) => isOptional(value[name], "string")) &&
  isPath(value["path"]);

function totalsOf(value: unknown): Trace["totals"] {
  if (!isTotals(value)) throw new NotATrace("totals");
  return value;
}

const isTotals = (value: unknown): value is Trace["totals"] =>
  isRecord(value) &&
  ["runs", "model", "tools", "waits"].every((name) => isTime(value[name])) &&
  isUsage(value["tokens"]) &&
  (value["cost"] === undefined || isCost(value["cost"]));

const isCost = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value["amount"] === "number" &&
  typeof value["complete"] === "boolean" &&
  /^[A-Z]{3}$/u.test(String(value["currency"]));
