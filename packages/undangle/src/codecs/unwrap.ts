import { isRecord, parseJson } from "#core";

type Wire = Readonly<Record<string, unknown>>;

/** How often a value may be wrapped: JSON text of a list of JSON text. */
export const deepest = 4;

/**
 * The objects that a value means where one object, or a list of them, belongs: the value itself, the objects of a list, of
 * lists in it, and of JSON text. Undefined when something else is in it, which only text can keep.
 */
function unwrap(value: unknown, depth = 0): readonly Wire[] | undefined {
  if (isRecord(value)) return [value];
  if (depth === deepest) return undefined;
  if (typeof value === "string") return unwrap(parseWrapped(value), depth + 1);
  if (!Array.isArray(value)) return undefined;
  const found: Wire[] = [];
  for (const each of value as readonly unknown[]) {
    if (each === null || each === undefined) continue; // it has no content
    const inner = unwrap(each, depth + 1);
    if (inner === undefined) return undefined;
    for (const one of inner) found.push(one);
  }
  return found.length === 0 ? undefined : found;
}

/** The only object that a value means; copies of one count once. */
export function unwrapOne(value: unknown): Wire | undefined {
  const found = unwrap(value);
  const [first] = found ?? [];
  if (first === undefined || found === undefined) return undefined;
  const text = JSON.stringify(first);
  return found.every((each) => each === first || JSON.stringify(each) === text) ? first : undefined;
}

/**
 * The calls under `tool_calls`, as the chat format and Ollama have it, one by one: also those of lists in the list, and of JSON
 * text. The same list where nothing is wrapped; undefined when it holds no call.
 */
export function callsIn(list: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(list)) return unwrap(list);
  const wires: readonly unknown[] = list;
  if (wires.every(isSingle)) return wires;
  return wires.flatMap((wire) => (isSingle(wire) ? [wire] : (unwrap(wire) ?? [wire]).flatMap(divided)));
}

/** The same, with what each of them calls as an object: for formats that adopt calls of the chat format. */
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

/** A call that names several functions is several calls; the first keeps the id. */
function divided(wire: unknown): readonly unknown[] {
  const called = isRecord(wire) && !isRecord(wire["function"]) ? unwrap(wire["function"]) : undefined;
  if (!isRecord(wire) || called === undefined || called.length < 2) return [wire];
  if (unwrapOne(called) !== undefined) return [{ ...wire, function: called[0] }];
  const { id: _, ...rest } = wire;
  return called.map((each, i) => ({ ...(i === 0 ? wire : rest), function: each }));
}

/** The text of a value that should be an object; "" for none. */
export function wordsIn(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value) && value.length === 0) return "";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** What JSON text wraps: a list, an object or text; undefined for any other text. */
export const parseWrapped = (text: string): unknown => (/^\s*[[{"]/u.test(text) ? parseJson(text) : undefined);
