import { isRecord } from "#core";
import type { JsonObject, Source } from "#core";

import { dropKeysOfOthers, partsKey } from "../../keys-of-others.ts";
import { saysElsewhere } from "../../says-elsewhere.ts";
import { adoptItem } from "./adopt-item.ts";
import { mendChatShape } from "./chat-shape.ts";
import type { Context } from "./context.ts";
import { isCall, isResponse } from "../part.ts";

/** The roles of a content while it is read. */
export type Role = "user" | "model" | "system";

/** A content with a valid role and a list of parts. */
export interface Readable {
  readonly role: Role;
  readonly wire: JsonObject;
  readonly parts: readonly unknown[];
}

const aliases: Readonly<Record<string, Role>> = {
  user: "user",
  human: "user",
  model: "model",
  assistant: "model",
  ai: "model",
  bot: "model",
  function: "user",
  tool: "user",
  system: "system",
  developer: "system",
};

/** The content in a valid form: "gone" if it is empty, undefined if its meaning is unclear. */
export function mendContent(source: Source, list: readonly unknown[], context: Context): Readable | "gone" | undefined {
  const { wire } = source;
  const { journal } = context;
  if (typeof wire === "string" && wire !== "") {
    const finding = { rule: "unknown-role" as const, message: "The content is a string, not an object with a role." };
    journal.note({ source, suffix: "" }, finding, { type: "rewrite" });
    const parts = [{ text: wire }];
    return { role: "user", wire: { role: "user", parts }, parts };
  }
  if (!isRecord(wire)) {
    const got = wire === null ? "null" : Array.isArray(wire) ? "an array" : `a ${typeof wire}`;
    journal.note({ source, suffix: "" }, { rule: "unknown-role", message: `The content is ${got}, not an object.` });
    return undefined;
  }
  const role = nameOfRole(wire["role"]);
  if (role !== "" && !Object.hasOwn(aliases, role)) {
    const message = `${JSON.stringify(wire["role"])} is not a role that the API accepts.`;
    journal.note({ source, suffix: ".role" }, { rule: "unknown-role", message });
    return undefined;
  }
  const shaped = adoptItem(mendChatShape(wire, source, context), source, context);
  if (isItem(shaped)) return mendItem(shaped, source, context);
  if (role === "" && shaped["parts"] === undefined && saysElsewhere(shaped)) {
    const message = "The content has neither a role nor parts.";
    journal.note({ source, suffix: "" }, { rule: "unknown-role", message });
    return undefined;
  }
  const parts = partsOf(shaped, source, context);
  if (parts === undefined) return "gone";
  const own = dropKeysOfOthers(shaped, source, journal, partsKey);
  const listed = parts === own["parts"] ? own : { ...own, parts };
  return mendRole(listed, parts, { source, list }, context);
}

/** True for an item of Responses that is neither a message nor a call or its output. */
const isItem = ({ type, parts, content }: JsonObject): boolean =>
  typeof type === "string" && type !== "message" && parts === undefined && content === undefined;

/** Reasoning is encrypted for its model and is removed; the meaning of other items is unclear. */
function mendItem({ type }: JsonObject, source: Source, { journal }: Context): "gone" | undefined {
  if (type === "reasoning") {
    const finding = { rule: "unknown-block" as const, message: "The content is reasoning from another provider." };
    journal.note({ source, suffix: "" }, finding, { type: "remove", lossless: false });
    return "gone";
  }
  const message = `The content is an item of type ${JSON.stringify(type)}, which this format does not have.`;
  journal.note({ source, suffix: "" }, { rule: "unknown-block", message });
  return undefined;
}

/** The parts of a content. Undefined if it has none. */
function partsOf({ parts }: JsonObject, source: Source, { journal }: Context): readonly unknown[] | undefined {
  if (Array.isArray(parts) && parts.length > 0) return parts as readonly unknown[]; // a list with unchecked entries
  if (parts === undefined || parts === null || parts === "" || Array.isArray(parts)) {
    const finding = { rule: "empty-message" as const, message: "The content has no parts." };
    journal.note({ source, suffix: "" }, finding, { type: "remove", lossless: !saysElsewhere(source.wire) });
    return undefined;
  }
  const finding = { rule: "content-type" as const, message: "The parts of the content are not a list." };
  journal.note({ source, suffix: ".parts" }, finding, { type: "rewrite" });
  return [typeof parts === "string" || isRecord(parts) ? parts : JSON.stringify(parts)];
}

interface Around {
  readonly source: Source;
  readonly list: readonly unknown[];
}

function mendRole(
  wire: JsonObject,
  parts: readonly unknown[],
  { source, list }: Around,
  { journal, model }: Context,
): Readable {
  const given = wire["role"];
  const answers = parts.some(isResponse);
  if (given === "user" || given === "model") return { role: given, wire, parts };
  if ((given === "function" || given === "tool") && answers && !model.endsWithUser) {
    return { role: "user", wire, parts };
  }
  const at = { source, suffix: ".role" };
  if (nameOfRole(given) === "") {
    const role = roleAt(source.index, parts, list);
    if (list.length === 1 && role === "user" && !answers) return { role, wire, parts };
    const finding = { rule: "unknown-role" as const, message: "The content has no role." };
    journal.note(at, finding, { type: "rewrite", reconstructed: true });
    return { role, wire: { ...wire, role }, parts };
  }
  const role = aliases[nameOfRole(given)] ?? "user"; // known to be one of them
  if (role === "system") return { role, wire, parts };
  const message = `${JSON.stringify(given)} is not a role that the API accepts here.`;
  journal.note(at, { rule: "unknown-role", message }, { type: "rewrite" });
  return { role, wire: { ...wire, role }, parts };
}

/** The normalized role. "" if there is none. */
function nameOfRole(given: unknown): string {
  if (given === undefined || given === null) return "";
  return typeof given === "string" ? given.trim().toLowerCase() : (JSON.stringify(given) ?? "?");
}

/** The role of a content without one, from its parts or its neighbours. */
function roleAt(index: number, parts: readonly unknown[], list: readonly unknown[]): "user" | "model" {
  if (parts.some(isResponse)) return "user";
  if (parts.some((part) => isCall(part) || (isRecord(part) && part["thought"] === true))) return "model";
  return isUser(list[index - 1]) && isUser(list[index + 1]) ? "model" : "user";
}

const isUser = (content: unknown): boolean => isRecord(content) && content["role"] === "user";
