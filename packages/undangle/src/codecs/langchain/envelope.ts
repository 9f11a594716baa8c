import { isRecord } from "#core";
import type { JsonObject } from "#core";

/** A LangChain value: an object with unchecked fields. */
export type Fields = JsonObject;

/** The role of a message; `other` for removals and legacy function messages. */
export type Kind = "human" | "ai" | "tool" | "system" | "other";

/** A message of any form, with its fields. */
export interface Envelope {
  /**
   * `instance`: an instance of a message class of any version; `flat`: a plain object with the fields; `stored`: `{
   * type, data }`; `constructor`: `{ lc: 1, type: "constructor", id, kwargs }`.
   */
  readonly form: "instance" | "flat" | "stored" | "constructor";
  readonly kind: Kind;
  readonly wire: Fields;
  readonly fields: Fields;
  /** The path of the fields, relative to the message. */
  readonly prefix: "" | ".data" | ".kwargs";
}

/** Detects the form of a message by its structure. Undefined for text, pairs and other values that are not objects. */
export function openEnvelope(wire: unknown): Envelope | undefined {
  if (!isRecord(wire)) return undefined;
  if (isInstance(wire)) return { form: "instance", kind: kindOf(wire, typeOf(wire)), wire, fields: wire, prefix: "" };
  const { data, kwargs, id, type } = wire;
  if (isRecord(kwargs) && Array.isArray(id)) {
    const name: unknown = id.at(-1);
    return { form: "constructor", kind: kindOf(kwargs, name), wire, fields: kwargs, prefix: ".kwargs" };
  }
  if (isRecord(data) && typeof type === "string" && !("content" in wire)) {
    return { form: "stored", kind: kindOf(data, type), wire, fields: data, prefix: ".data" };
  }
  return {
    form: "flat",
    kind: kindOf(wire, typeof type === "string" ? type : wire["role"]),
    wire,
    fields: wire,
    prefix: "",
  };
}

/** The role of any message. Bare text is a user message, and a pair contains its role. */
export function kindOfMessage(wire: unknown): Kind {
  if (typeof wire === "string") return "human";
  if (Array.isArray(wire)) return kindOf({}, wire[0]);
  return openEnvelope(wire)?.kind ?? "other";
}

/** True for an instance of a message class, of any version and from any copy of the package. */
export function isInstance(wire: Fields): boolean {
  return typeof wire["_getType"] === "function" || typeof wire["getType"] === "function" || isRecord(wire["lc_kwargs"]);
}

/** The type of an instance. Older versions have only a method for it. */
function typeOf(wire: Fields): unknown {
  const { type } = wire;
  if (typeof type === "string") return type;
  const ask = wire["_getType"] ?? wire["getType"];
  return typeof ask === "function" ? (ask.call(wire) as unknown) : undefined;
}

const kinds: ReadonlyMap<unknown, Kind> = new Map<unknown, Kind>([
  ...(["human", "user", "HumanMessage", "HumanMessageChunk"] as const).map((name) => [name, "human"] as const),
  ...(["ai", "assistant", "AIMessage", "AIMessageChunk"] as const).map((name) => [name, "ai"] as const),
  ...(["tool", "ToolMessage", "ToolMessageChunk"] as const).map((name) => [name, "tool"] as const),
  ...(["system", "developer", "SystemMessage", "SystemMessageChunk"] as const).map((name) => [name, "system"] as const),
]);

const generic: ReadonlySet<unknown> = new Set(["generic", "chat", "ChatMessage", "ChatMessageChunk"]);

function kindOf(fields: Fields, name: unknown): Kind {
  return kinds.get(name) ?? (generic.has(name) ? (kinds.get(fields["role"]) ?? "other") : "other");
}
