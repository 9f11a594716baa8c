import { isRecord, isTooDeep, parseJson } from "#core";
import type { JsonObject } from "#core";

/** The maximum number of wrappers, such as JSON text in a list in JSON text. */
export const deepest = 4;

/**
 * The objects in a value that should be one object or a list of them: the value itself, the entries of nested lists,
 * and parsed JSON text. Undefined if it contains anything else, which only text can preserve.
 */
function unwrap(value: unknown, depth = 0): readonly JsonObject[] | undefined {
  if (isRecord(value)) return [value];
  if (depth === deepest) return undefined;
  if (typeof value === "string") return unwrap(parseWrapped(value), depth + 1);
  if (!Array.isArray(value)) return undefined;
  const found: JsonObject[] = [];
  for (const each of value as readonly unknown[]) {
    if (each === null || each === undefined) continue; // it has no content
    const inner = unwrap(each, depth + 1);
    if (inner === undefined) return undefined;
    for (const one of inner) found.push(one);
  }
  return found.length === 0 ? undefined : found;
}

/** The only object in a value. Copies count once. */
export function unwrapOne(value: unknown): JsonObject | undefined {
  const found = unwrap(value);
  const [first] = found ?? [];
  if (first === undefined || found === undefined) return undefined;
  const text = JSON.stringify(first);
  return found.every((each) => each === first || JSON.stringify(each) === text) ? first : undefined;
}

/**
 * The calls under `tool_calls`, as in the chat format and Ollama, including those in nested lists and JSON text.
 * Returns the same list if nothing is wrapped, and undefined if it contains no call.
 */
export function callsIn(list: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(list)) return unwrap(list);
  const wires: readonly unknown[] = list;
  if (wires.every(isSingle)) return wires;
  return wires.flatMap((wire) => (isSingle(wire) ? [wire] : (unwrap(wire) ?? [wire]).flatMap(divided)));
}

/** The same with the called function as an object, for formats that convert calls of the chat format. */
export function chatCallsIn(list: unknown): readonly unknown[] {
  return (callsIn(list) ?? []).map((call) => {
    const called = isRecord(call) ? call["function"] : undefined;
    if (!isRecord(call) || called === undefined || called === null || isRecord(called)) return call;
    return { ...call, function: unwrapOne(called) ?? { name: call["name"], arguments: wordsIn(called) } };
  });
}

/** True for a single call, or a value that is not a call. */
function isSingle(wire: unknown): boolean {
  if (!isRecord(wire)) return unwrap(wire) === undefined;
  const called = wire["function"];
  return called === undefined || isRecord(called) || (unwrap(called)?.length ?? 1) === 1;
}

/** Splits a call with several functions into several calls. The first keeps the id. */
function divided(wire: unknown): readonly unknown[] {
  const called = isRecord(wire) && !isRecord(wire["function"]) ? unwrap(wire["function"]) : undefined;
  if (!isRecord(wire) || called === undefined || called.length < 2) return [wire];
  if (unwrapOne(called) !== undefined) return [{ ...wire, function: called[0] }];
  const { id: _, ...rest } = wire;
  return called.map((each, i) => ({ ...(i === 0 ? wire : rest), function: each }));
}

/** The text of a value that should be an object. "" if there is none. */
export function wordsIn(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value) && value.length === 0) return "";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** The list, object or text in JSON text. Undefined for any other text. */
export const parseWrapped = (text: string): unknown =>
  /^\s*[[{"]/u.test(text) && !isTooDeep(text) ? parseJson(text) : undefined;
