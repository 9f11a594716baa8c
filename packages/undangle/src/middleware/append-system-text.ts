import { isRecord, UndangleError } from "#core";
import type { JsonObject } from "#core";

/**
 * Appends a text to a system message of any format: a string, a list of parts, or an object whose `content`, `parts` or
 * `text` is one of these. Parts and their markers stay separate. A blank line precedes the text; without a system
 * message the text becomes one.
 */
export function appendSystemText<System>(system: System, text: string): Appended<System> {
  if (typeof text !== "string")
    throw new UndangleError("options/value", { option: "text", value: text, allowed: ["a string"] });
  return appended(system, text) as Appended<System>; // the same shape, by construction
}

/** The type stays the same. A missing system message becomes a string. */
export type Appended<System> = System extends null | undefined ? string : System extends string ? string : System;

function appended(system: unknown, text: string): unknown {
  if (text === "") return system ?? "";
  if (system === undefined || system === null) return text;
  if (typeof system === "string") return system === "" ? text : `${system}\n\n${text}`;
  if (Array.isArray(system)) return withPart(system, text);
  if (!isRecord(system)) throw new UndangleError("options/value", { option: "system", value: system, allowed });
  const key = ["content", "parts", "text"].find((each) => each in system) ?? "content";
  return replaced(system, key, appended(system[key], text));
}

const allowed = ["a string", "a list of parts", "an object with content, parts or text"];

const withPart = (parts: readonly unknown[], text: string): unknown => [...parts, partLike(parts, text)];

/** A part with the keys of the other parts, without markers such as cache control. */
function partLike(parts: readonly unknown[], text: string): unknown {
  const said = `${parts.some(saysSomething) ? "\n\n" : ""}${text}`;
  const like = parts.findLast((part) => typeof part === "string" || (isRecord(part) && "text" in part));
  if (typeof like === "string") return said;
  if (!isRecord(like)) return { type: "text", text: said };
  return { ...("type" in like && { type: like["type"] }), ...("path" in like && { path: like["path"] }), text: said };
}

const saysSomething = (part: unknown): boolean =>
  typeof part === "string" ? part !== "" : !isRecord(part) || !("text" in part) || part["text"] !== "";

/** A copy with one key changed. The copy of a class instance has the same prototype. */
function replaced(system: JsonObject, key: string, value: unknown): unknown {
  const copy: unknown = Object.create(Object.getPrototypeOf(system) as object | null); // of any class
  return Object.defineProperties(copy, {
    ...Object.getOwnPropertyDescriptors(system),
    [key]: { value, writable: true, enumerable: true, configurable: true },
  });
}
