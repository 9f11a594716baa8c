import type { Source } from "#core";

import { imagesBeside } from "../../images-beside.ts";
import { itemKeys, keysOfOthers, saysNothing } from "../../keys-of-others.ts";
import type { Context } from "./context.ts";
import { mayHaveCallId, mayHaveRole, sideOf, withoutKeys } from "./item.ts";
import type { Item } from "./item.ts";

/** The item with a type; undefined if its meaning is unclear. */
export function mendType(item: Item, source: Source, { profile, journal }: Context): Item | undefined {
  const { type, role } = item;
  if (typeof type === "string" && sideOf(type) !== undefined) return item;
  const isUntyped = type === undefined || type === null;
  if (isUntyped && typeof role === "string" && type === undefined && !profile.typeRequired) return item;
  const spoken = speakerOf(item);
  const message = isUntyped ? "The item has no type." : `${JSON.stringify(type)} is not a type of item.`;
  const told = isUntyped ? typeOf(item) : undefined;
  const finding = { rule: "unknown-block" as const, message };
  if (spoken !== undefined) {
    journal.note({ source, suffix: "" }, finding, { type: "rewrite" });
    return { type: "message", role: spoken, content: [item] };
  }
  if (told === undefined) {
    journal.note({ source, suffix: "" }, finding);
    return undefined;
  }
  journal.note({ source, suffix: ".type" }, finding, { type: "rewrite" });
  return { ...item, type: told };
}

/** The role of a message part without a message. */
function speakerOf({ type }: Item): "user" | "assistant" | undefined {
  if (type === "output_text" || type === "refusal") return "assistant";
  return type === "input_text" || type === "input_image" || type === "input_file" ? "user" : undefined;
}

/** The type of an item, inferred from its keys. */
function typeOf(item: Item): string | undefined {
  if (typeof item["role"] === "string") return "message";
  if ("output" in item) return "function_call_output";
  if (typeof item["name"] === "string" && "arguments" in item) return "function_call";
  return Object.keys(item).every((key) => key === "id" || key === "type") && typeof item["id"] === "string"
    ? "item_reference"
    : undefined;
}

/** Removes keys of other item types: a role, a call_id, a phase, and message keys of the chat format. */
export function dropForeignKeys(item: Item, source: Source, { journal, profile }: Context): Item {
  const type = typeof item["type"] === "string" ? item["type"] : "message";
  const foreign: string[] = [];
  if (!mayHaveRole(type) && item["role"] !== undefined) foreign.push("role");
  if (item["call_id"] !== undefined && !mayHaveCallId(type) && !(type === "message" && isTool(item)))
    foreign.push("call_id");
  if (item["phase"] !== undefined && (type !== "message" || item["role"] !== "assistant")) foreign.push("phase");
  if (profile.refusesChatKeys && type === "message" && !isTool(item)) {
    foreign.push(...keysOfOthers(item, itemKeys).filter((key) => !isReadLater(key, item)));
  }
  for (const key of foreign) {
    const finding = { rule: "unknown-property" as const, message: `An item of type ${type} has no ${key}.` };
    journal.note({ source, suffix: `.${key}` }, finding, {
      type: "remove",
      lossless: isSaidElsewhere(key) || saysNothing(key, item[key]),
    });
  }
  return foreign.length === 0 ? item : withoutKeys(item, foreign);
}

/** Calls, refusals and images of other formats are read with the message. */
function isReadLater(key: string, item: Item): boolean {
  if (key === "refusal") return item["role"] === "assistant" && typeof item[key] === "string" && item[key] !== "";
  if (key === "images") return imagesBeside(item).length > 0 && item["role"] !== "assistant";
  return key === "tool_calls" || key === "function_call";
}

/** A message with a tool role may contain the id of its call. */
const isTool = ({ role }: Item): boolean => typeof role === "string" && /^\s*(?:tool|function)\s*$/i.test(role);

/** The item type already implies the role and the kind of result. */
const isSaidElsewhere = (key: string): boolean => key === "role" || key === "call_id";
